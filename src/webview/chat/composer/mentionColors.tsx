import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Attachment } from '../../../shared/state/attachments';
import { splitAtMentions } from './mentionText';

interface MentionColorsProps {
  readonly text: string;
  readonly attached: readonly Attachment[];
  readonly box: { readonly current: HTMLTextAreaElement | null };
}

/** A layer over a message box that colors its mentions, because a text box has one color. Not there while the text has none. */
export function MentionColors({ text, attached, box }: MentionColorsProps): JSX.Element | null {
  const layer = useRef<HTMLDivElement>(null);
  const pieces = splitAtMentions(text, attached);
  useLayoutEffect(() => {
    const element = box.current;
    const follow = (): void => {
      if (!element || !layer.current) return;
      // Without the scroll bar.
      layer.current.style.inlineSize = `${element.clientWidth}px`;
      layer.current.scrollTop = element.scrollTop;
    };
    follow();
    element?.addEventListener('scroll', follow);
    return () => element?.removeEventListener('scroll', follow);
  });
  if (pieces.length === 1) return null;
  return (
    <div class="message-text" ref={layer} aria-hidden="true" dir="auto">
      {pieces.map((piece, at) => (at % 2 === 1 ? <span class="mentioned">{piece}</span> : piece))}
      {/* A last line break would have no line. */}
      {'\u200b'}
    </div>
  );
}
