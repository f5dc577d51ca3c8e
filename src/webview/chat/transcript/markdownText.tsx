import { effect } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Entry } from '../../../shared/state/sessionState';
import { MarkdownElement } from './markdownElement';
import type { EntryCell } from '../chatStore';

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
      prose.update(entry.text, entry.endedAt !== undefined, cell.grown);
    });
    return () => {
      stop();
      prose.dispose();
    };
  }, [cell]);
  return <div class="markdown" dir="auto" ref={host} />;
}
