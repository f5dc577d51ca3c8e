import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { t } from '../../../base/l10n';
import { decodePercent } from '../../../base/text';

type LinkTarget =
  | { readonly type: 'web'; readonly url: string }
  | { readonly type: 'mail'; readonly url: string }
  /** `path` is absolute, `line` and `column` are 1-based. */
  | { readonly type: 'file'; readonly path: string; readonly line?: number; readonly column?: number }
  | { readonly type: 'refused'; readonly reason: string };

/**
 * Classifies `href` without opening it. Only web, mail and file links are allowed: `command:` and `vscode:` links would let an agent
 * control the editor.
 * @param base absolute; relative paths start here; undefined where no folder is open
 */
export function linkTarget(href: string, base: string | undefined): LinkTarget {
  const text = href.trim();
  // oxlint-disable-next-line no-control-regex
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text))
    return refuse(t('the link is empty or contains control characters'));
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  switch (scheme) {
    case 'http':
    case 'https':
      return webTarget(text);
    case 'mailto':
      return { type: 'mail', url: text };
    case 'file':
      return fileUriTarget(text);
    case undefined:
      return pathTarget(text, base);
    default:
      // `notes.txt:12` looks like a URI with a scheme.
      return /^[\w.+-]+\.\w+:\d+(:\d+)?$/.test(text)
        ? pathTarget(text, base)
        : refuse(t('links of type “{0}:” are not allowed', scheme));
  }
}

function webTarget(text: string): LinkTarget {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return refuse(t('the URL is not valid'));
  }
  if (url.username !== '' || url.password !== '')
    return refuse(t('the URL contains a user name or password, which can hide its real destination'));
  return { type: 'web', url: url.href };
}

function fileUriTarget(text: string): LinkTarget {
  try {
    const url = new URL(text);
    if (url.host !== '' && url.host !== 'localhost') return refuse(t('the file is on another computer'));
    const position = /^#L?(\d+)(?:[,:C](\d+))?/.exec(url.hash);
    url.hash = '';
    return fileTarget(fileURLToPath(url), position);
  } catch {
    return refuse(t('the file URL is not valid'));
  }
}

function pathTarget(text: string, base: string | undefined): LinkTarget {
  if (/^[\\/]{2}/.test(text)) return refuse(t('the file is on another computer'));
  const position = /(?::|#L?)(\d+)(?:[:,C](\d+))?(?:-\S*)?$/.exec(text);
  const path = decodePercent(position ? text.slice(0, position.index) : text);
  if (path === '' || path.startsWith('#')) return refuse(t('the link has no target'));
  if (isAbsolute(path)) return fileTarget(path, position);
  return base === undefined ? refuse(t('no folder is open')) : fileTarget(resolve(base, path), position);
}

function fileTarget(path: string, position: RegExpExecArray | null): LinkTarget {
  if (path.includes('\0')) return refuse(t('the file URL is not valid'));
  const line = Number(position?.[1] ?? 0);
  const column = Number(position?.[2] ?? 0);
  return { type: 'file', path, ...(line > 0 && { line }), ...(line > 0 && column > 0 && { column }) };
}

function refuse(reason: string): LinkTarget {
  return { type: 'refused', reason };
}
