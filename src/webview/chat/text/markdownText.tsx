import { effect } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Disposable } from '../../../base/lifecycle';
import type { Entry } from '../../../shared/state/sessionState';
import { MarkdownStream, renderMarkdown } from '../../markdown/markdownStream';
import type { EntryCell } from '../chatStore';
import { GrowingText } from './growingText';

/** UTF-16 units of a finished text that are rendered at once; longer ones in slices. */
const MAX_AT_ONCE = 20_000;

/** Finished Markdown, or Markdown that an update replaces. */
export function Markdown({ text, finished = true }: { text: string; finished?: boolean }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const prose = useRef<MarkdownElement>(undefined);
  useLayoutEffect(() => {
    if (!host.current) return;
    prose.current ??= new MarkdownElement(host.current);
    prose.current.update(text, finished);
  }, [text, finished]);
  useLayoutEffect(() => () => prose.current?.dispose(), []);
  return <div class="markdown" dir="auto" ref={host} />;
}

/** The text of a message or thought, bound directly to its cell: a chunk causes no component rendering. */
export function StreamingMarkdown({ cell }: { cell: EntryCell<Entry> }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!host.current) return undefined;
    const prose = new MarkdownElement(host.current);
    const stop = effect(() => {
      const entry = cell.value.value;
      if (entry.kind !== 'agent' && entry.kind !== 'thought') return;
      prose.update(entry.text, entry.endedAt !== undefined, cell.appended);
    });
    return () => {
      stop();
      prose.dispose();
    };
  }, [cell]);
  return <div class="markdown" dir="auto" ref={host} />;
}

/** Markdown in an element: rendered at once when finished, block by block while it streams. */
class MarkdownElement implements Disposable {
  #stream: MarkdownStream | undefined;
  #text = this.#newText();
  /** The whole text, once it is finished. */
  #finished: string | undefined;

  constructor(private readonly host: HTMLElement) {}

  /** Shows `text`; `appended` is its new part at the end, where known. */
  update(text: string, finished: boolean, appended = ''): void {
    if (this.#finished !== undefined) {
      if (this.#finished === text && finished) return;
      this.#restart();
    }
    if (finished && !this.#stream && text.length <= MAX_AT_ONCE) {
      renderMarkdown(this.host, text);
    } else {
      this.#text.follow(text, appended);
      if (finished) this.#stream?.end();
    }
    if (finished) this.#finished = text;
  }

  #newText(): GrowingText {
    return new GrowingText({
      push: (text) => {
        this.#stream ??= new MarkdownStream(this.host);
        this.#stream.push(text);
      },
      restart: () => this.#clear(),
    });
  }

  #restart(): void {
    this.#clear();
    this.#finished = undefined;
    this.#text = this.#newText();
  }

  #clear(): void {
    this.dispose();
    this.host.replaceChildren();
  }

  dispose(): void {
    this.#stream?.dispose();
    this.#stream = undefined;
  }
}
