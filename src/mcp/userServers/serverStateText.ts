import { t } from '../../base/l10n';
import type { ConnectionState, ServerConnection } from './connection/serverConnection';
import type { PrepareResult } from './config/prepareServer';

/**
 * Where a server stands, for the panel; undefined where there is nothing to say.
 * @param wantsSignIn nothing works before the user has signed in
 */
export function stateText(preparation: PrepareResult, link: ConnectionState, wantsSignIn: boolean): string | undefined {
  if (preparation.status === 'working') return preparation.words;
  if (preparation.status === 'stuck') return preparation.why;
  if (wantsSignIn) return t('wants you to sign in');
  if (link.status === 'connecting') return t('connecting');
  if (link.status === 'ready') return t('ready');
  if (link.status === 'stopped') return preparation.status === 'none' ? undefined : t('not connected');
  const { message, again, tail } = link;
  const said =
    again === undefined ? t('failed: {0}', message) : t('failed: {0} (next attempt in {1} s)', message, again / 1000);
  return tail === '' ? said : `${said}\n${tail}`;
}

/** Why a server is neither handed over nor connected to yet; undefined when it may be. */
export function notReadyText(preparation: PrepareResult): string | undefined {
  if (preparation.status === 'none') return t('not asked for yet');
  if (preparation.status === 'working') return preparation.words;
  return preparation.status === 'stuck' ? preparation.why : undefined;
}

/**
 * Why nothing can be called through a connection; undefined when it can, or will be soon.
 * @param state of the server, in words
 */
export function unavailableConnectionText(
  { state: link, listing }: Pick<ServerConnection, 'state' | 'listing'>,
  state: string | undefined,
): string | undefined {
  const isGone = link.status === 'failed' && link.again === undefined;
  return isGone || listing === undefined ? (state ?? t('not connected')) : undefined;
}
