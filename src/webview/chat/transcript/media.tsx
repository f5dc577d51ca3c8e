import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatFixed, t } from '../../../base/l10n';
import { usePage } from '../pageContext';
import { Icon, IconButton } from '../../controls/icon';

/** Image types that a browser shows and that cannot do anything else. */
const IMAGE_TYPE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;
/** Sounds that VS Code's browser may be able to play; what it cannot is said in place of the player. */
const AUDIO_TYPE = /^audio\/[\w.+-]{1,40}$/;

interface MediaProps {
  /** base64 */
  readonly data: string;
  readonly mimeType: string;
  /** Read out in place of it. */
  readonly name: string;
  /** Shown where it cannot be shown. */
  readonly fallback: JSX.Element;
}

/** A picture; a click shows it as large as there is room, where it can be opened and saved too. */
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

/** Over the page, with the focus in it; Escape and a click beside it close it. */
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

/** A sound with the browser's own player. */
export function Sound({ data, mimeType, name, fallback }: MediaProps): JSX.Element {
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

/** Opens and saves what came as data. */
export function DataActions({ data, mimeType }: Pick<MediaProps, 'data' | 'mimeType'>): JSX.Element {
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

/** What cannot be shown: what it is, and a way to save it. */
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

/** The size of what base64 stands for. */
export function dataSize(base64: string): string {
  return byteSize(Math.floor((base64.length * 3) / 4));
}

export function byteSize(bytes: number): string {
  if (bytes < 1000) return t('{0} B', bytes);
  return bytes < 1_000_000 ? t('{0} kB', formatFixed(bytes / 1000, 1)) : t('{0} MB', formatFixed(bytes / 1_000_000, 1));
}

/** A click beside what is shown closes it. */
function closeOutside(event: MouseEvent): void {
  if (event.target === event.currentTarget && event.target instanceof HTMLDialogElement) event.target.close();
}
