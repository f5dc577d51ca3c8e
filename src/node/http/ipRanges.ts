import { BlockList, isIP } from 'node:net';

/** Which IP addresses may be connected to (docs/security.md, row 19). */

/** The allowed targets of a connection: the public internet, or this machine only. */
type NetworkZone = 'public' | 'loopback';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** IANA's special-purpose registries: private, link-local, shared, documentation, multicast and reserved. */
const NOT_PUBLIC_4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Ranges inside 2000::/3 that are not public: documentation, and tunnels that end at an IPv4 address. Nothing outside 2000::/3 is public.
 */
const NOT_PUBLIC_6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const notPublic = new BlockList();
for (const [address, bits] of NOT_PUBLIC_4) notPublic.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of NOT_PUBLIC_6) notPublic.addSubnet(address, bits, 'ipv6');

const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether an IP address is in that zone. IPv4 inside IPv6 is in neither zone, because it has no legitimate use here.
 */
export function isInZone(net: NetworkZone, address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (family === 'ipv6' && /^::ffff:/i.test(address)) return false;
  if (net === 'loopback') return LOOPBACK.check(address, family);
  return family === 'ipv4' ? !notPublic.check(address, family) : isPublic6(address);
}

function isPublic6(address: string): boolean {
  return global6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}

/** The zone of a configured origin: this machine only where the user's URL names it. */
export function zoneOf({ hostname }: URL): NetworkZone {
  const host = withoutBrackets(hostname);
  return host === 'localhost' || isInZone('loopback', host) ? 'loopback' : 'public';
}

/** The IP address of a host that needs no look-up: an address, or a name that is reserved for this machine (RFC 6761, section 6.3). */
export function fixedAddress({ hostname }: URL): string | undefined {
  const host = withoutBrackets(hostname);
  if (isIP(host) !== 0) return host;
  return /(^|\.)localhost\.?$/i.test(host) ? '127.0.0.1' : undefined;
}

/** `[::1]` as `::1`. */
export function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
