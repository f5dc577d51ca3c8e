import { escapeInvisible } from '../../../base/untrustedText';
import type { DiffLine } from '../../../shared/state/contentBlocks';
import { onceNear } from '../../highlighting/whenNear';

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;
const TAGS = { same: 'div', added: 'ins', removed: 'del' } as const;

interface LinesOptions {
  readonly language: string;
  /** The lines are probably visible: elements are built immediately. */
  readonly isNear: boolean;
  readonly report: (error: unknown) => void;
}

/**
 * Shows lines of a diff. Far from the view they are one text, which find, selection and screen readers can use: hundreds of
 * invisible diffs would be tens of thousands of elements. Lines are built without the component tree, which takes longer than the browser.
 * @returns stops, and removes the colors
 */
export function showLines(host: HTMLElement, lines: readonly DiffLine[], options: LinesOptions): () => void {
  const over = new AbortController();
  const { signal } = over;
  const build = (): void => {
    host.classList.remove('unbuilt');
    const elements = lines.map(lineElement);
    host.replaceChildren(...elements.map(({ element }) => element));
    const texts = elements.map(({ text }) => text);
    void highlight(texts, options.language, signal).catch(options.report);
  };
  if (options.isNear) {
    build();
  } else {
    host.classList.add('unbuilt');
    host.textContent = lines.map(plainText).join('\n');
    signal.addEventListener(
      'abort',
      onceNear(host, () => whenUnselected(host, build, signal)),
    );
  }
  // Without a reason the browser would make an error, with its stack, for each card.
  return () => over.abort('removed');
}

async function highlight(texts: readonly HTMLElement[], language: string, over: AbortSignal): Promise<void> {
  const { markWhenIdle } = await import('../../highlighting/highlightWhenIdle');
  if (!over.aborted) over.addEventListener('abort', markWhenIdle(texts, language));
}

/** New elements would remove a selection that begins or ends in the text. */
function whenUnselected(host: HTMLElement, run: () => void, signal: AbortSignal): void {
  const isSelected = (): boolean => {
    const { anchorNode = null, focusNode = null } = getSelection() ?? {};
    return host.contains(anchorNode) || host.contains(focusNode);
  };
  if (!isSelected()) {
    run();
    return;
  }
  const onSelectionChange = (): void => {
    if (isSelected()) return;
    document.removeEventListener('selectionchange', onSelectionChange);
    run();
  };
  document.addEventListener('selectionchange', onSelectionChange, { signal });
}

/** The text of the element. */
function plainText({ type, text }: DiffLine): string {
  return `${SIGNS[type]}${escapeInvisible(text)}`;
}

function lineElement(line: DiffLine): { element: HTMLElement; text: HTMLElement } {
  const element = document.createElement(TAGS[line.type]);
  element.className = `line ${line.type}`;
  const sign = document.createElement('span');
  sign.className = 'sign';
  sign.append(SIGNS[line.type]);
  const text = document.createElement('span');
  text.className = 'line-text';
  text.append(...toMarkedParts(line));
  element.append(sign, text);
  return { element, text };
}

/** Text with highlighted words and visible hidden characters. */
function toMarkedParts({ text, marks = [] }: DiffLine): (HTMLElement | string)[] {
  const parts: (HTMLElement | string)[] = [];
  let at = 0;
  for (const [start, end] of marks) {
    const mark = document.createElement('mark');
    mark.append(escapeInvisible(text.slice(start, end)));
    parts.push(escapeInvisible(text.slice(at, start)), mark);
    at = end;
  }
  parts.push(escapeInvisible(text.slice(at)) || (marks.length === 0 ? '\u200b' : ''));
  return parts.filter((part) => part !== '');
}
