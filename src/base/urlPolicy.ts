import { t } from './l10n';
/** Says why an address is not loaded from; undefined when it is: https, or http on this machine (a mirror, a test). */
export function disallowedUrlReason(address: string): string | undefined {
  if (!URL.canParse(address)) return t('{0} is not an address', JSON.stringify(address));
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return t('an address with a name or password in it is not loaded from');
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return undefined;
  return t('{0} is not loaded from: only https is (and http on this machine)', address);
}

/** Numbers, or the one name that is reserved for it; a name in DNS could lead anywhere. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
