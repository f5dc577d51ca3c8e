import type { ServerDefinition, ServerLaunch } from '../config/serverDefinition';
import { ownerOf } from '../config/prepareServer';
import type { AccountOptions } from './oauthGrant';
import type { Account } from './serverAccount';

/** The account at a prepared server; undefined for a program, an own token, or a server that cannot be used. */
export async function loadAccount(
  definition: ServerDefinition,
  start: ServerLaunch | string,
  options: Omit<AccountOptions, 'name' | 'url' | 'owner'>,
): Promise<Account | undefined> {
  if (typeof start === 'string' || start.type === 'stdio') return undefined;
  const { openAccount } = await import('./serverAccount');
  return openAccount(ownerOf(definition), start, { ...options, name: definition.name });
}
