import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { formatBytes } from '../../../shared/text/formatBytes';
import { Icon, IconButton } from '../../controls/icon';
import { usePage } from '../pageContext';

/** Image types that browsers support and that cannot run code. */
const IMAGE_TYPE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;
/** Audio types that VS Code's browser may support; otherwise a text replaces the player. */
const AUDIO_TYPE = /^audio\/[\w.+-]{1,40}$/;

interface MediaProps {
  /** In base64. */
  readonly data: string;
  readonly mimeType: string;
  /** For screen readers. */
  readonly name: string;
  /** Shown when the data cannot be displayed. */
  readonly fallback: JSX.Element;
}

/** An image; a click enlarges it in a viewer with actions to open and save it. */
export function Picture({ data, mimeType, name, fallback }: MediaProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const [broken, setBroken] = useState(false);
  if (broken || data === '' || !IMAGE_TYPE.test(mimeType)) return fallback;
  return (
    <>
      <button
        type="button"
        class="picture-button"
        aria-label={t('Enlarge {0}', name)}
        title={t('Enlarge')}
        onClick={() => setOpen(true)}
      >
        <img class="picture" alt={name} src={`data:${mimeType};base64,${data}`} onError={() => setBroken(true)} />
      </button>
      {open && <Viewer data={data} mimeType={mimeType} name={name} onClose={() => setOpen(false)} />}
    </>
  );
}

/** A focused overlay; Escape and a click outside close it. */
function Viewer({
  data,
  mimeType,
  name,
  onClose,
}: Omit<MediaProps, 'fallback'> & { onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="viewer" aria-label={name} ref={dialog} onClick={closeOutside} onClose={onClose}>
      <div class="viewer-bar">
        <span class="viewer-name">{name}</span>
        <DataActions data={data} mimeType={mimeType} />
        <IconButton icon="close" label={t('Close')} onClick={() => dialog.current?.close()} />
      </div>
      <img alt={name} src={`data:${mimeType};base64,${data}`} />
    </dialog>
  );
}

/** An audio player of the browser. */
export function AudioPlayer({ data, mimeType, name, fallback }: MediaProps): JSX.Element {
  const [broken, setBroken] = useState(false);
  if (broken || data === '' || !AUDIO_TYPE.test(mimeType)) return fallback;
  return (
    <div class="sound" role="group" aria-label={name}>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- there is none for what an agent sends */}
      <audio controls preload="metadata" src={`data:${mimeType};base64,${data}`} onError={() => setBroken(true)} />
      <DataActions data={data} mimeType={mimeType} />
    </div>
  );
}

/** Opens and saves embedded data. */
function DataActions({ data, mimeType }: Pick<MediaProps, 'data' | 'mimeType'>): JSX.Element {
  const { post } = usePage();
  return (
    <>
      <IconButton
        icon="go-to-file"
        label={t('Open in Editor')}
        onClick={() => post({ type: 'openData', data, mimeType })}
      />
      <IconButton icon="save" label={t('Save As…')} onClick={() => post({ type: 'saveData', data, mimeType })} />
    </>
  );
}

/** Type of data that cannot be displayed, with a button to save it. */
export function DataChip({ icon, data, mimeType, name }: Omit<MediaProps, 'fallback'> & { icon: string }): JSX.Element {
  return (
    <span class="data-chip">
      <span class="chip">
        <Icon name={icon} />
        <span class="chip-name">{name}</span>
        <span class="muted">{`${mimeType}, ${dataSize(data)}`}</span>
      </span>
      {data !== '' && <DataActions data={data} mimeType={mimeType} />}
    </span>
  );
}

/** The decoded size. */
function dataSize(base64: string): string {
  return formatBytes(Math.floor((base64.length * 3) / 4));
}

/** A click outside the content closes the viewer. */
function closeOutside(event: MouseEvent): void {
  if (event.target === event.currentTarget && event.target instanceof HTMLDialogElement) event.target.close();
}
