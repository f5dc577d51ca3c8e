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

/** By file extension: the registered types, and those that browsers and editors use. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.py': 'text/x-python',
  '.svg': 'image/svg+xml',
  '.toml': 'application/toml',
  '.ts': 'text/x-typescript',
  '.tsx': 'text/x-typescript',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
};

/** The MIME type of a file that is sent as text. */
export function textMimeTypeOf(path: string): string {
  return TEXT_TYPES[extname(path).toLowerCase()] ?? 'text/plain';
}
