import { t } from '../../base/l10n';
import type { RemoteEndpoint } from './agentDefinition';

/** Checks `url` and `headers` of a remote agent. */

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;
const SCHEMES: Readonly<Record<RemoteEndpoint['type'], { readonly safe: string; readonly plain: string }>> = {
  http: { safe: 'https:', plain: 'http:' },
  ws: { safe: 'wss:', plain: 'ws:' },
};

/**
 * Describes an invalid URL, or returns undefined. Unencrypted URLs may only reach this machine, because headers hold
 * secrets.
 */
export function urlProblem(type: RemoteEndpoint['type'], text: string): string | undefined {
  const { safe, plain } = SCHEMES[type];
  if (!URL.canParse(text)) return t('expected a URL such as {0}//example.com/acp', safe);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return t('put the user name and password in "headers"');
  if (url.protocol === safe || (url.protocol === plain && LOOPBACK.test(url.hostname))) return undefined;
  if (url.protocol !== plain) return t('expected a URL that starts with {0}//', safe);
  return t('{0}// is not encrypted and is allowed for this machine only; use {1}//', plain, safe);
}

/** Rejects invalid header names, and values that would add another header. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return t('this is not a valid header name');
  return /[\r\n\0]/.test(value) ? t('a header must not contain a line break') : undefined;
}
