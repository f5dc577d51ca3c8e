import { toFormula } from './mathSyntax';
import { hasControls } from './normalizeText';

/** Unicode's mathematical alphabets: MathML Core has no other way to write them. */

interface Alphabet {
  readonly upper: number;
  readonly lower: number;
  readonly digits?: number;
  /** Letters that Unicode had before the others. */
  readonly earlier: Readonly<Record<string, string>>;
}

const alphabets: Readonly<Record<string, Alphabet>> = {
  'double-struck': {
    upper: 0x1d538,
    lower: 0x1d552,
    digits: 0x1d7d8,
    earlier: { C: 'ℂ', H: 'ℍ', N: 'ℕ', P: 'ℙ', Q: 'ℚ', R: 'ℝ', Z: 'ℤ' },
  },
  script: {
    upper: 0x1d49c,
    lower: 0x1d4b6,
    earlier: { B: 'ℬ', E: 'ℰ', F: 'ℱ', H: 'ℋ', I: 'ℐ', L: 'ℒ', M: 'ℳ', R: 'ℛ', e: 'ℯ', g: 'ℊ', o: 'ℴ' },
  },
  fraktur: { upper: 0x1d504, lower: 0x1d51e, earlier: { C: 'ℭ', H: 'ℌ', I: 'ℑ', R: 'ℜ', Z: 'ℨ' } },
};

/** The text in the alphabet that MathML's `mathvariant` names; unchanged for other variants, such as bold. */
function alphabetLetters(text: string, variant: string): string {
  const alphabet = alphabets[variant];
  return alphabet ? text.replaceAll(/[A-Za-z0-9]/g, (letter) => letterOf(alphabet, letter)) : text;
}

function letterOf({ upper, lower, digits, earlier }: Alphabet, letter: string): string {
  const code = letter.charCodeAt(0);
  if (Object.hasOwn(earlier, letter)) return earlier[letter] ?? letter;
  if (letter >= 'a') return String.fromCodePoint(lower + code - 0x61);
  if (letter >= 'A') return String.fromCodePoint(upper + code - 0x41);
  return digits === undefined ? letter : String.fromCodePoint(digits + code - 0x30);
}

import createDOMPurify from 'dompurify';
import katex from 'katex';

/** Number of formulas whose MathML is kept, because the open paragraph is rendered again with each batch of text. */
const MAX_CACHED = 500;
/** Maximum nesting of elements: layout visits nested fractions and roots repeatedly. */
const MAX_DEPTH = 60;

/** Definitions can expand a short text without limit. KaTeX shows commands that need trust only by their names. */
const refused =
  /\\(?:[gex]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand|href|url|includegraphics|html[A-Z][a-z]+)(?![A-Za-z])/;

const tags =
  'math semantics mrow mi mn mo mtext mspace mstyle mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts mtable mtr mtd mpadded mphantom menclose'.split(
    ' ',
  );
/** Without colors, which belong to the theme, and styles, which the page's policy forbids. */
const attributes =
  'display displaystyle scriptlevel mathvariant mathsize fence separator stretchy symmetric largeop movablelimits accent accentunder lspace rspace minsize maxsize linethickness width height depth voffset notation columnalign columnspacing columnlines rowlines'.split(
    ' ',
  );

/** Formulas as MathML, which needs no inline styles and is read by screen readers. */
export class FormulaMarkup {
  readonly #purifier = createDOMPurify(window);
  /** By source; undefined for a formula with an error. */
  readonly #cache = new Map<string, Element | undefined>();

  isCached(source: string): boolean {
    return this.#cache.has(source);
  }

  /** A new `math` element; undefined when the formula has an error. */
  of(source: string): Node | undefined {
    if (!this.#cache.has(source)) {
      const [oldest] = this.#cache.keys();
      if (this.#cache.size >= MAX_CACHED && oldest !== undefined) this.#cache.delete(oldest);
      this.#cache.set(source, this.#parse(source));
    }
    return this.#cache.get(source)?.cloneNode(true);
  }

  #parse(source: string): Element | undefined {
    const { tex, isDisplay } = toFormula(source);
    if (refused.test(tex) || hasControls(tex.replaceAll('\n', ' '))) return undefined;
    const html = toMathMl(tex, isDisplay);
    const math = html === undefined ? null : this.#sanitize(html).querySelector('math');
    if (!math || hasControls(math.textContent ?? '') || depthOf(math) > MAX_DEPTH) return undefined;
    adaptToMathMlCore(math);
    return math;
  }

  #sanitize(html: string): DocumentFragment {
    return this.#purifier.sanitize(html, {
      ALLOWED_TAGS: ['span', ...tags],
      ALLOWED_ATTR: attributes,
      ALLOW_DATA_ATTR: false,
      ALLOW_ARIA_ATTR: false,
      RETURN_DOM_FRAGMENT: true,
    });
  }
}

function toMathMl(tex: string, displayMode: boolean): string | undefined {
  try {
    return katex
      .renderToString(tex, {
        displayMode,
        output: 'mathml',
        throwOnError: true,
        strict: false,
        trust: false,
        maxSize: 20,
        maxExpand: 500,
      })
      .replace(/<annotation[^>]*>[^<]*<\/annotation>/, '');
  } catch {
    // Also a stack overflow of deep nesting.
    return undefined;
  }
}

function depthOf(root: Element): number {
  let most = 0;
  for (const element of root.querySelectorAll(':not(:has(*))')) {
    let depth = 0;
    for (let each: Element | null = element; each && each !== root; each = each.parentElement) depth++;
    most = Math.max(most, depth);
  }
  return most;
}

/** MathML Core, which Chromium draws, replaces some attributes of KaTeX's MathML by style sheets. */
function adaptToMathMlCore(math: Element): void {
  for (const element of math.querySelectorAll('[mathvariant]')) adaptVariant(element);
  for (const table of math.querySelectorAll('mtable')) adaptTable(table);
}

function adaptVariant(element: Element): void {
  const variant = element.getAttribute('mathvariant') ?? '';
  if (variant === 'normal' || variant === 'italic') return;
  const text = element.textContent ?? '';
  const letters = alphabetLetters(text, variant);
  if (letters !== text) element.textContent = letters;
  else element.classList.add(...variant.split('-').map((part) => `math-${part}`));
  element.setAttribute('mathvariant', 'normal');
}

function adaptTable(table: Element): void {
  const align = attributeValues(table, 'columnalign');
  const columnLines = attributeValues(table, 'columnlines');
  const rowLines = attributeValues(table, 'rowlines');
  // KaTeX puts a formula with a tag into a table, which is otherwise compact.
  if (table.hasAttribute('width')) table.setAttribute('displaystyle', 'true');
  if (table.getAttribute('columnspacing') === '0em') table.classList.add('math-tight');
  for (const [y, row] of [...table.children].entries()) {
    for (const [x, cell] of [...row.children].entries()) {
      const side = align[x] ?? align.at(-1);
      if (side === 'left' || side === 'right') cell.classList.add(`math-${side}`);
      if (isLine(columnLines[x])) cell.classList.add('math-line-end');
      if (isLine(rowLines[y])) cell.classList.add('math-line-below');
    }
  }
}

function attributeValues(element: Element, attribute: string): string[] {
  return element.getAttribute(attribute)?.split(' ') ?? [];
}

function isLine(kind: string | undefined): boolean {
  return kind === 'solid' || kind === 'dashed';
}
