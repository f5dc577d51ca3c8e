import { effect } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Entry } from '../../../shared/state/sessionState';
import { Prose } from './markdownElement';
import type { Cell } from '../chatStore';

/** Finished markdown, or markdown that an update replaces. */
export function Markdown({ text, finished = true }: { text: string; finished?: boolean }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const prose = useRef<Prose>(undefined);
  useLayoutEffect(() => {
    if (!host.current) return;
    prose.current ??= new Prose(host.current);
    prose.current.update(text, finished);
  }, [text, finished]);
  useLayoutEffect(() => () => prose.current?.dispose(), []);
  return <div class="markdown" dir="auto" ref={host} />;
}

/** The text of a message or thought. Bound to its cell directly: nothing is rendered again for a chunk. */
export function MessageText({ cell }: { cell: Cell<Entry> }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!host.current) return undefined;
    const prose = new Prose(host.current);
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
