import { extname } from 'node:path';

/** Types that are sent as they are, by what file names end with. */
const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.flac': 'audio/flac',
  '.m4a': 'audio/mp4',
};

/** The MIME type of a picture or a sound; undefined for any other file, which an agent is told the place of or the text. */
export function mimeTypeOf(path: string): string | undefined {
  return TYPES[extname(path).toLowerCase()];
}
