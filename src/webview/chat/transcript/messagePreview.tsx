import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { truncate } from '../../../base/text';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { TurnFile } from '../../../shared/state/turnSummary';
import { LineCounts } from '../toolCalls/diffCard';
import { splitPath } from '../toolCalls/toolCallTitle';

/** Messages and files that are listed. */
const MAX_LISTED = 6;
const MAX_LABEL = 300;

/** Files that the turns of messages changed, by index of the message. */
export type FilesByMessage = ReadonlyMap<number, readonly TurnFile[]>;

interface MessagePreviewProps {
  /** First lines of the messages, by index. */
  readonly titles: ReadonlyMap<number, string>;
  readonly files: FilesByMessage;
  readonly room: { readonly side: 'above' | 'below'; readonly pixels: number };
  readonly onEscape: () => void;
}

/** The first line of a message and the files that its turn changed; of several messages, a line each. */
export function MessagePreview({ titles, files, room, onEscape }: MessagePreviewProps): JSX.Element {
  useEscape(onEscape);
  const listed = [...titles].slice(0, MAX_LISTED);
  const isOne = titles.size === 1;
  // Screen readers get name and description of the mark.
  return (
    <div class={`rail-preview ${room.side}`} aria-hidden="true" style={{ maxBlockSize: `${room.pixels}px` }}>
      {listed.map(([entry, title]) => (
        <PreviewLine key={entry} text={title} name="" files={isOne ? [] : (files.get(entry) ?? [])} />
      ))}
      {isOne && listed.map(([entry]) => <PreviewFiles key={entry} files={files.get(entry) ?? []} />)}
      {titles.size > MAX_LISTED && <p class="muted">{t('and {0} more', titles.size - MAX_LISTED)}</p>}
    </div>
  );
}

/** From anywhere in the page: a preview on hover is without the focus (WCAG 2.2, 1.4.13). */
function useEscape(onEscape: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.isComposing) onEscape();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

function PreviewFiles({ files }: { files: readonly TurnFile[] }): JSX.Element {
  return (
    <>
      {files.slice(0, MAX_LISTED).map((file) => {
        const { name, folder } = splitPath(file.label);
        return <PreviewLine key={file.path} name={shortenLabel(name)} text={shortenLabel(folder)} files={[file]} />;
      })}
      {files.length > MAX_LISTED && <p class="muted">{t('and {0} more', files.length - MAX_LISTED)}</p>}
    </>
  );
}

interface PreviewLineProps {
  /** Base name of a file, before its folder; empty for a message. */
  readonly name: string;
  readonly text: string;
  readonly files: readonly TurnFile[];
}

function PreviewLine({ name, text, files }: PreviewLineProps): JSX.Element {
  return (
    <p class="rail-line">
      {name !== '' && <bdi class="clip rail-file">{name}</bdi>}
      <bdi class={name === '' ? 'clip' : 'clip muted'}>{text}</bdi>
      {files.length > 0 && <LineCounts added={sum(files, 'added')} removed={sum(files, 'removed')} />}
    </p>
  );
}

/** "a.ts +3 −1, b.ts +2 −0 and 4 more"; undefined where no file was changed. */
export function describeFiles(entries: readonly number[], files: FilesByMessage): string | undefined {
  const all = entries.flatMap((entry) => files.get(entry) ?? []);
  if (all.length === 0) return undefined;
  const listed = all
    .slice(0, MAX_LISTED)
    .map(({ label, added, removed }) => `${shortenLabel(label)} +${added} −${removed}`);
  const more = all.length > MAX_LISTED ? [t('and {0} more', all.length - MAX_LISTED)] : [];
  return [...listed, ...more].join(', ');
}

function shortenLabel(label: string): string {
  return escapeInvisibleInline(truncate(label, MAX_LABEL));
}

function sum(files: readonly TurnFile[], side: 'added' | 'removed'): number {
  return files.reduce((total, file) => total + file[side], 0);
}
