import { ReadableStream } from 'node:stream/web';
import type { ParsedTarEntry } from 'modern-tar';
import { errorMessage, ParleyError } from '../../../base/errors';
import { t } from '../../../base/l10n';
import { archiveError } from './archiveLimits';
import type { UnpackTarget } from './unpackTarget';

/** Unpacks a tar stream (ustar, pax, GNU long names). Devices, pipes and sockets are refused. */
export async function untar(source: AsyncIterable<Uint8Array>, target: UnpackTarget): Promise<void> {
  let hasEntries = false;
  try {
    const { createTarDecoder } = await import('modern-tar');
    // Node's types declare two kinds of web streams for the same objects.
    const tar = ReadableStream.from(source) as unknown as globalThis.ReadableStream<Uint8Array>;
    const decoded = tar.pipeThrough(createTarDecoder({ strict: true })) as unknown as AsyncIterable<ParsedTarEntry>;
    for await (const entry of decoded) {
      hasEntries = true;
      await addEntry(entry, target);
    }
  } catch (error) {
    throw ParleyError.is(error) ? error : archiveError(t('it is damaged ({0})', errorMessage(error)), error);
  }
  if (!hasEntries) throw archiveError(t('it is empty or not an archive'));
}

async function addEntry({ header, body }: ParsedTarEntry, target: UnpackTarget): Promise<void> {
  const { name, type = 'file', mode = 0, linkname = '' } = header;
  const content = body as unknown as AsyncIterable<Uint8Array> & { cancel(): Promise<void> };
  if (type === 'file' && !name.endsWith('/'))
    return target.add({ name, type, isExecutable: (mode & 0o111) !== 0, content });
  // Old archives mark a folder only by a trailing slash.
  if (type === 'directory' || type === 'file') await target.add({ name, type: 'folder' });
  else if (type === 'symlink' || type === 'link') await target.add({ name, type, target: linkname });
  else if (type !== 'pax-global-header')
    throw archiveError(t('{0} is not a file, folder or link ({1})', JSON.stringify(name), type));
  return content.cancel();
}
