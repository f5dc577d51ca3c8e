import { t } from '../../base/l10n';
import type { ConnectionState } from './connection/mcpClientErrors';
import type { ListingPreview } from './listingPreview';
import type { ServerConnection } from './connection/serverConnection';
import type { PrepareResult } from './config/prepareServer';

/**
 * State text for the panel, if any.
 * @param wantsSignIn nothing works before the user has signed in
 */
export function stateText(
  preparation: PrepareResult,
  link: ConnectionState,
  preview: Pick<ListingPreview, 'text' | 'listing'>,
  wantsSignIn: boolean,
): string | undefined {
  if (preparation.status === 'working') return preparation.words;
  if (preparation.status === 'stuck') return preparation.why;
  if (wantsSignIn) return t('needs sign-in');
  if (link.status === 'connecting') return t('connecting');
  if (link.status === 'ready') return t('ready');
  if (link.status === 'stopped') {
    const isKnown = preparation.status === 'none' || preview.listing !== undefined;
    return preview.text ?? (isKnown ? undefined : t('not connected'));
  }
  const { message, again, tail } = link;
  const said =
    again === undefined ? t('failed: {0}', message) : t('failed: {0} (retrying in {1} s)', message, again / 1000);
  return tail === '' ? said : `${said}\n${tail}`;
}

/** Why a server is neither passed on nor connected yet, if so. */
export function notReadyText(preparation: PrepareResult): string | undefined {
  if (preparation.status === 'none') return t('not requested yet');
  if (preparation.status === 'working') return preparation.words;
  return preparation.status === 'stuck' ? preparation.why : undefined;
}

/**
 * The reason why a connection cannot be called now or soon; undefined if it can.
 * @param state text of the server's state
 */
export function unavailableConnectionText(
  { state: link, listing }: Pick<ServerConnection, 'state' | 'listing'>,
  state: string | undefined,
): string | undefined {
  const isGone = link.status === 'failed' && link.again === undefined;
  return isGone || listing === undefined ? (state ?? t('not connected')) : undefined;
}
