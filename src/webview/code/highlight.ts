import { grammarOf } from './languages';

/** A block with more lines or more text (UTF-16 units) keeps one colour: it would take seconds. */
const maxLines = 5000;
const maxLength = 200 * 1024;
/** Longest slice of work in milliseconds, even when the page would be idle for longer. */
const slice = 8;

const waiting: HTMLElement[] = [];
let running = false;

/**
 * Colours a complete code block (`code[data-language]` made of lines) once the page has nothing else to do.
 * The lines stay as they are; their text is put into spans with the classes `tok-keyword`, `tok-string`,
 * `tok-string-expression`, `tok-comment`, `tok-constant`, `tok-function`, `tok-parameter`, `tok-punctuation`,
 * `tok-link`, `tok-inserted`, `tok-deleted`, `tok-changed` and `tok-italic`, `tok-bold`, `tok-underline`.
 * Shiki and each grammar are chunks of their own and are loaded when first needed.
 */
export function highlightWhenIdle(code: HTMLElement): void {
  const language = code.dataset['language'];
  if (!language || !grammarOf(language) || code.querySelectorAll('.code-line').length > maxLines) return;
  waiting.push(code);
  if (running) return;
  running = true;
  void work().finally(() => {
    running = false;
  });
}

async function work(): Promise<void> {
  for (let code = waiting.shift(); code; code = waiting.shift()) {
    await idle();
    if (!code.isConnected || (code.textContent?.length ?? 0) > maxLength) continue;
    try {
      await colour(code);
    } catch {
      // A grammar that cannot be loaded or fails leaves the code in one colour, which is no harm.
    }
  }
}

async function colour(code: HTMLElement): Promise<void> {
  const { Colouring } = await import('./colouring');
  const colouring = await Colouring.of(code, code.dataset['language'] ?? '', idle);
  let deadline = await idle();
  while (code.isConnected && colouring?.step()) {
    if (performance.now() >= deadline) deadline = await idle();
  }
}

/** Waits until the page is idle; resolves with the time until which to work. */
export type Idle = () => Promise<number>;

function idle(): Promise<number> {
  return new Promise((resolve) => {
    requestIdleCallback((deadline) => {
      resolve(performance.now() + Math.max(1, Math.min(slice, deadline.timeRemaining())));
    });
  });
}
