import { errorMessage } from '../../../base/errors';
import { formatFixed, t } from '../../../base/l10n';
import type { Attachment, PromptCapabilities } from '../../../shared/state/attachments';
import { MAX_DATA, MAX_EMBEDDED, unsupportedReason } from '../../../shared/state/attachments';

/** Image types that model providers support. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;

interface Recipient {
  readonly name: string;
  /** Undefined until it is known. */
  readonly accepts: PromptCapabilities | undefined;
}

/** Converts pasted or dropped files; the second list says why a file cannot be attached. */
export async function readFiles(files: readonly File[], to: Recipient): Promise<[Attachment[], string[]]> {
  const read = await Promise.all(
    files.map((file) => attachmentOf(file, to).catch((error: unknown) => `${file.name}: ${errorMessage(error)}`)),
  );
  return [read.filter((one) => typeof one !== 'string'), read.filter((one) => typeof one === 'string')];
}

async function attachmentOf(file: File, to: Recipient): Promise<Attachment | string> {
  const { name: label, size } = file;
  if (size > MAX_DATA)
    return t('{0} is too large ({1}). The limit is {2}.', label, megabytes(size), megabytes(MAX_DATA));
  const isSound = file.type.startsWith('audio/');
  if (!isSound && !PICTURES.test(file.type)) return readTextFileAttachment(file, to);
  const why = unsupportedReason(file.type, to.accepts, to.name);
  return why === undefined ? dataOf(file, file.type) : `${label}: ${why}`;
}

async function readTextFileAttachment(file: File, to: Recipient): Promise<Attachment | string> {
  const { name: label } = file;
  const text = decodeText(await file.arrayBuffer());
  if (text === undefined) {
    if (file.type.startsWith('image/')) return t('{0}: only PNG, JPEG, GIF and WebP images can be sent.', label);
    const why = unsupportedReason('application/octet-stream', to.accepts, to.name);
    return why === undefined ? dataOf(file, file.type || 'application/octet-stream') : `${label}: ${why}`;
  }
  if (text.length <= MAX_EMBEDDED) return { kind: 'text', label, text };
  return t('{0} is too long to send as text. Save the file in the workspace and attach it from there.', label);
}

/** Undefined if the bytes are not UTF-8. */
function decodeText(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

async function dataOf(file: File, mimeType: string): Promise<Attachment | string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read')));
    reader.readAsDataURL(file);
  });
  return { kind: 'data', label: file.name, mimeType, data: url.slice(url.indexOf(',') + 1) };
}

function megabytes(bytes: number): string {
  return t('{0} MB', formatFixed(bytes / 1_000_000, 1));
}
