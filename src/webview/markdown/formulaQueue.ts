import { t } from '../../base/l10n';
import type { FormulaMarkup } from './formulaMarkup';
import { toFormula } from './mathSyntax';

/** Maximum milliseconds of immediate work between two idle periods; further formulas show their source meanwhile. */
const BUDGET_MS = 8;

let markup: FormulaMarkup | undefined;
let loading: Promise<void> | undefined;
let waiting: Element[] = [];
let spent = 0;
let isScheduled = false;

/** A formula as its source; {@link showFormulas} replaces it. */
export function formulaElement(source: string): HTMLElement {
  const element = document.createElement('span');
  element.className = 'md-math';
  element.textContent = source;
  return element;
}

/**
 * Shows the formulas below `root` (`span.md-math`) as MathML. KaTeX is a separate chunk, loaded with the first
 * formula. A formula with an error keeps its source (`span.md-math-source`).
 */
export function showFormulas(root: ParentNode): void {
  const found = root.querySelectorAll('.md-math');
  if (found.length === 0) return;
  for (const element of found) {
    if (markup?.isCached(element.textContent ?? '') || (markup && spent < BUDGET_MS)) showFormula(element, markup);
    else waiting.push(element);
  }
  schedule();
}

function schedule(): void {
  if (isScheduled || (waiting.length === 0 && spent === 0)) return;
  if (!markup) {
    loading ??= load();
    return;
  }
  isScheduled = true;
  requestIdleCallback(work, { timeout: 200 });
}

async function load(): Promise<void> {
  try {
    const { FormulaMarkup } = await import('./formulaMarkup');
    markup = new FormulaMarkup();
    work();
  } catch {
    // If the chunk fails to load, formulas are shown as text.
    waiting = [];
    loading = undefined;
  }
}

function work(): void {
  isScheduled = false;
  spent = 0;
  if (!markup) return;
  let at = 0;
  while (at < waiting.length && spent < BUDGET_MS) {
    const element = waiting[at++];
    if (element) showFormula(element, markup);
  }
  waiting = waiting.slice(at);
  schedule();
}

function showFormula(element: Element, markup: FormulaMarkup): void {
  const start = performance.now();
  const source = element.textContent ?? '';
  const math = markup.of(source);
  element.className = math ? 'md-math' : 'md-math-source';
  if (math) {
    element.replaceChildren(math);
    if (toFormula(source).isDisplay) nameScrollRegion(element);
  }
  spent += performance.now() - start;
}

/** A wide formula scrolls sideways. */
function nameScrollRegion(element: Element): void {
  element.classList.add('md-display');
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', t('Formula'));
  element.setAttribute('tabindex', '0');
}
