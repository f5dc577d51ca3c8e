import { extname } from 'node:path';

/** By file extension; these types are sent as data. */
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

/** The MIME type of an image or a sound; undefined for other files, which are sent as link or text. */
export function mimeTypeOf(path: string): string | undefined {
  return TYPES[extname(path).toLowerCase()];
}
