import type { GrammarState, HighlighterCore, LanguageRegistration, ThemedToken } from 'shiki/core';
import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine, defaultJavaScriptRegexConstructor } from 'shiki/engine/javascript';
import { grammarFor } from './languages';

/** Waits until the page is idle; resolves with the deadline of the work. */
type Idle = () => Promise<number>;

const theme = 'css-variables';
/** In UTF-16 units; longer lines keep one color. */
const MAX_LINE_LENGTH = 2000;
/** Milliseconds of one step. */
const STEP_MS = 3;
/** Milliseconds after which the rest of a line keeps one color. */
const LINE_LIMIT_MS = 500;

/** Embedded grammars that are rarely needed and take seconds to compile (C++ inside Ruby). */
const rarelyMet: ReadonlySet<string> = new Set(['cpp', 'cpp-macro']);

/** Compiled patterns of all grammars. */
const patterns = new Map<string, RegExp | Error>();
let highlighter: Promise<HighlighterCore> | undefined;

/** Colors one code block in batches of lines. */
export class CodeHighlighter {
  readonly #highlighter: HighlighterCore;
  readonly #grammar: string;
  readonly #lines: readonly Element[];
  readonly #paint: Paint;
  #next = 0;
  #batch = 4;
  /** The first slow lines are colored again, once. */
  #isRepeated = false;
  #state: GrammarState | undefined;

  private constructor(highlighter: HighlighterCore, grammar: string, lines: readonly Element[], paint: Paint) {
    this.#highlighter = highlighter;
    this.#grammar = grammar;
    this.#lines = lines;
    this.#paint = paint;
  }

  /**
   * Loads the language; undefined when it is unknown.
   * @param lines one element per line
   * @param paint shows the tokens of a line
   */
  static async of(
    lines: readonly Element[],
    language: string,
    idle: Idle,
    paint: Paint = paintSpans,
  ): Promise<CodeHighlighter | undefined> {
    highlighter ??= createHighlighterCore({
      themes: [createCssVariablesTheme({ name: theme })],
      langs: [],
      engine: createJavaScriptRegexEngine({ cache: patterns, forgiving: true }),
    });
    const shiki = await highlighter;
    const registrations = (await grammarFor(language)?.())?.default;
    const name = registrations?.at(-1)?.name;
    if (!registrations || name === undefined) return undefined;
    if (!shiki.getLoadedLanguages().includes(name)) {
      await compile(registrations, idle);
      await shiki.loadLanguage(...registrations);
    }
    return new CodeHighlighter(shiki, name, lines, paint);
  }

  /** Colors the next lines; false when all are done. */
  step(): boolean {
    const lines = this.#lines.slice(this.#next, this.#next + this.#batch);
    if (lines.length === 0) return false;
    const startedAt = performance.now();
    const text = lines.map((line) => (line.textContent ?? '').replace(/\n$/, '')).join('\n');
    const tokens = this.#highlighter.codeToTokensBase(text, {
      lang: this.#grammar,
      theme,
      tokenizeMaxLineLength: MAX_LINE_LENGTH,
      tokenizeTimeLimit: LINE_LIMIT_MS,
      ...(this.#state && { grammarState: this.#state }),
    });
    // A slow machine compiles the patterns of the first line for so long that it is cut off: they are compiled now.
    if (!this.#isRepeated && performance.now() - startedAt >= LINE_LIMIT_MS) {
      this.#isRepeated = true;
      this.#batch = 1;
      return true;
    }
    this.#state = this.#highlighter.getLastGrammarState(tokens);
    lines.forEach((line, index) => this.#paint(line, tokens[index] ?? []));
    this.#next += lines.length;
    const took = performance.now() - startedAt;
    this.#batch = Math.max(1, Math.min(50, Math.round((lines.length * STEP_MS) / Math.max(took, 0.1))));
    return true;
  }
}

/** Shows the tokens of a line. */
type Paint = (line: Element, tokens: readonly ThemedToken[]) => void;

/** Inserts spans into the line; does nothing unless they match its text exactly. */
function paintSpans(line: Element, tokens: readonly ThemedToken[]): void {
  const text = line.textContent ?? '';
  if (`${tokens.map((token) => token.content).join('')}\n` !== text) return;
  const nodes = tokens.map((token) => {
    const name = tokenClass(token);
    if (!name) return token.content;
    const span = document.createElement('span');
    span.className = name;
    span.textContent = token.content;
    return span;
  });
  line.replaceChildren(...nodes, '\n');
}

/** The classes of a token, as in media/chat/codeColors.css; empty for plain text. */
export function tokenClass(token: ThemedToken): string {
  const name = /--shiki-token-([a-z-]+)/.exec(token.color ?? '')?.[1];
  const bits = Math.max(0, token.fontStyle ?? 0);
  const styles = ['tok-italic', 'tok-bold', 'tok-underline'].filter((_, bit) => (bits >> bit) % 2 === 1);
  return [...(name ? [`tok-${name}`] : []), ...styles].join(' ');
}

/**
 * Compiles a grammar's patterns ahead of time, in slices. Otherwise Shiki compiles hundreds of them within the first
 * line, which takes a third of a second.
 */
async function compile(registrations: readonly LanguageRegistration[], idle: Idle): Promise<void> {
  let deadline = await idle();
  const common = registrations.filter(({ name }) => !rarelyMet.has(name));
  for (const pattern of new Set(common.flatMap((registration) => patternsOf(registration)))) {
    if (patterns.has(pattern)) continue;
    try {
      const compiled = defaultJavaScriptRegexConstructor(pattern);
      patterns.set(pattern, compiled);
      // The engine compiles when first matching.
      compiled.exec('a');
      compiled.lastIndex = 0;
    } catch (error) {
      patterns.set(pattern, error instanceof Error ? error : new Error(String(error)));
    }
    if (performance.now() >= deadline) deadline = await idle();
  }
}

function patternsOf(rule: unknown): string[] {
  if (typeof rule !== 'object' || rule === null) return [];
  return Object.entries(rule).flatMap(([key, value]) => {
    if (typeof value !== 'string') return patternsOf(value);
    return ['match', 'begin', 'end', 'while'].includes(key) ? variants(value) : [];
  });
}

/** vscode-textmate replaces the anchors `\A` and `\G` where they cannot match. */
function variants(pattern: string): string[] {
  if (!/\\[AG]/.test(pattern)) return [pattern];
  const noStart = pattern.replaceAll('\\A', '\uffff');
  return [pattern, noStart, noStart.replaceAll('\\G', '\uffff')];
}
