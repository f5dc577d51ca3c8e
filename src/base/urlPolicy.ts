import { t } from './l10n';
/** Why Parley does not load from a URL; undefined if allowed: https, or http on this machine (a mirror, a test). */
export function disallowedUrlReason(url: string): string | undefined {
  if (!URL.canParse(url)) return t('{0} is not a URL', JSON.stringify(url));
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return t('a URL must not contain a user name or password');
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return undefined;
  return t('{0} is not allowed; use https, or http on this machine', url);
}

/** IP addresses and `localhost`, which is reserved; any name in DNS could resolve to another machine. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
