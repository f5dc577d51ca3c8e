import { grammarFor } from './languages';
import { isRendered, whenNear } from './whenNear';

/** Larger blocks (lines, UTF-16 units) keep one color: coloring would take seconds. */
const MAX_LINES = 5000;
const MAX_LENGTH = 200 * 1024;
/** Maximum milliseconds of work at once, even when the page is idle for longer. */
const SLICE_MS = 8;

const waiting: HTMLElement[] = [];
let isRunning = false;

/**
 * Colors a complete code block (`code[data-language]` made of lines) when the page is idle and the block near the view.
 * The line elements stay; their text is put into spans with the classes `tok-keyword`, `tok-string`,
 * `tok-string-expression`, `tok-comment`, `tok-constant`, `tok-function`, `tok-parameter`, `tok-punctuation`,
 * `tok-link`, `tok-inserted`, `tok-deleted`, `tok-changed` and `tok-italic`, `tok-bold`, `tok-underline`.
 * Shiki and each grammar are separate chunks, loaded when first needed.
 */
export function highlightWhenIdle(code: HTMLElement): void {
  const language = code.dataset['language'];
  if (!language || !grammarFor(language) || code.querySelectorAll('.code-line').length > MAX_LINES) return;
  enqueue(code);
}

function enqueue(code: HTMLElement): void {
  waiting.push(code);
  if (isRunning) return;
  isRunning = true;
  void work().finally(() => {
    isRunning = false;
  });
}

async function work(): Promise<void> {
  // The new block is in the document by then.
  await idle();
  for (let code = next(); code; code = next()) {
    try {
      await color(code);
    } catch {
      // Ignore grammars that fail: the code keeps one color.
    }
  }
}

/**
 * The next block near the view. Removed blocks are dropped, because a queued block would keep its whole conversation in
 * memory.
 */
function next(): HTMLElement | undefined {
  for (let code = waiting.shift(); code; code = waiting.shift()) {
    if (!code.isConnected || (code.textContent?.length ?? 0) > MAX_LENGTH) continue;
    if (isRendered(code)) return code;
    const far = code;
    whenNear(far, () => enqueue(far));
  }
  return undefined;
}

async function color(code: HTMLElement): Promise<void> {
  const { CodeHighlighter } = await import('./codeHighlighter');
  const lines = [...code.querySelectorAll('.code-line')];
  const coloring = await CodeHighlighter.of(lines, code.dataset['language'] ?? '', idle);
  let deadline = await idle();
  while (code.isConnected && coloring?.step()) {
    if (performance.now() >= deadline) deadline = await idle();
  }
}

/**
 * As {@link highlightWhenIdle}, without changing the document (CSS Custom Highlight API).
 * @returns removes the colors
 */
export function markWhenIdle(lines: readonly Element[], language: string): () => void {
  if (lines.length > MAX_LINES || !grammarFor(language)) return () => undefined;
  const over = new AbortController();
  // Ignore grammars that fail: the code keeps one color.
  void mark(lines, language, over.signal).catch(() => undefined);
  return () => over.abort('removed');
}

async function mark(lines: readonly Element[], language: string, over: AbortSignal): Promise<void> {
  // The new lines are in the document by then.
  await idle();
  const [first] = lines;
  if (first && !isRendered(first)) {
    await new Promise<void>((resolve) => over.addEventListener('abort', whenNear(first, resolve)));
  }
  const [{ TokenHighlights }, { CodeHighlighter }] = await Promise.all([
    import('./highlightRanges'),
    import('./codeHighlighter'),
  ]);
  const highlights = new TokenHighlights();
  over.addEventListener('abort', () => highlights.clear());
  const coloring = await CodeHighlighter.of(lines, language, idle, (line, tokens) => highlights.add(line, tokens));
  let deadline = await idle();
  while (!over.aborted && coloring?.step()) {
    if (performance.now() >= deadline) deadline = await idle();
  }
}

function idle(): Promise<number> {
  return new Promise((resolve) => {
    requestIdleCallback((deadline) => {
      resolve(performance.now() + Math.max(1, Math.min(SLICE_MS, deadline.timeRemaining())));
    });
  });
}
