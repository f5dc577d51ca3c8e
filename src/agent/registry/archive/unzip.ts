import type { Entry, ZipFile } from 'yauzl';
import { errorMessage, ParleyError } from '../../../base/errors';
import { t } from '../../../base/l10n';
import { archiveError } from './archiveLimits';
import type { UnpackTarget } from './unpackTarget';

const MAX_LINK_BYTES = 4_096;
const FILE_TYPE_MASK = 0o170000;
const SYMLINK_MODE = 0o120000;
const REGULAR_FILE_MODE = 0o100000;
const FOLDER_MODE = 0o040000;

/** Unpacks a zip file entry by entry; sizes in its directory are checked against the unpacked data. */
export async function unzip(file: string, target: UnpackTarget): Promise<void> {
  let zip: ZipFile | undefined;
  try {
    const { openPromise } = await import('yauzl');
    zip = await openPromise(file, { lazyEntries: true, autoClose: false, validateEntrySizes: true });
    for await (const entry of zip.eachEntry()) await addEntry(zip, entry, target);
  } catch (error) {
    throw ParleyError.is(error) ? error : archiveError(t('it is damaged ({0})', errorMessage(error)), error);
  } finally {
    zip?.close();
  }
}

async function addEntry(zip: ZipFile, entry: Entry, target: UnpackTarget): Promise<void> {
  const name = entry.fileName;
  // The upper 16 bits are the Unix mode, if the archive was made on such a system.
  const mode = entry.externalFileAttributes >>> 16;
  const type = mode & FILE_TYPE_MASK;
  if (name.endsWith('/')) return target.add({ name, type: 'folder' });
  if (entry.isEncrypted()) throw archiveError(t('{0} is encrypted', JSON.stringify(name)));
  if (type === SYMLINK_MODE) return target.add({ name, type: 'symlink', target: await linkText(zip, entry) });
  if (type !== 0 && type !== REGULAR_FILE_MODE && type !== FOLDER_MODE)
    throw archiveError(t('{0} is not a file, folder or link', JSON.stringify(name)));
  return target.add({ name, type: 'file', isExecutable: (mode & 0o111) !== 0, content: contentOf(zip, entry) });
}

/** Opened only when it is read: a stream error without a listener would end the extension host. */
async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  for await (const chunk of await zip.openReadStreamPromise(entry)) yield chunk as Uint8Array;
}

async function linkText(zip: ZipFile, entry: Entry): Promise<string> {
  if (entry.uncompressedSize > MAX_LINK_BYTES)
    throw archiveError(t('the link {0} is too long', JSON.stringify(entry.fileName)));
  const chunks: Uint8Array[] = [];
  for await (const chunk of contentOf(zip, entry)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
