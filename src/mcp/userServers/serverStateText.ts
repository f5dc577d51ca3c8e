import { t } from '../../base/l10n';
import type { ConnectionState } from './connection/mcpClientErrors';
import type { ListingPreview } from './listingPreview';
import type { ServerConnection } from './connection/serverConnection';
import type { PrepareResult } from './config/prepareServer';

/**
 * State text for the panel, if any.
 * @param isSignInRequired nothing works before the user has signed in
 */
export function stateText(
  preparation: PrepareResult,
  connection: ConnectionState,
  preview: Pick<ListingPreview, 'text' | 'listing'>,
  isSignInRequired: boolean,
): string | undefined {
  if (preparation.status === 'working') return preparation.label;
  if (preparation.status === 'stuck') return preparation.why;
  if (isSignInRequired) return t('needs sign-in');
  if (connection.status === 'connecting') return t('connecting');
  if (connection.status === 'ready') return t('ready');
  if (connection.status === 'stopped') {
    const isExpected = preparation.status === 'none' || preview.listing !== undefined;
    return preview.text ?? (isExpected ? undefined : t('not connected'));
  }
  const { message, again, tail } = connection;
  const detail =
    again === undefined ? t('failed: {0}', message) : t('failed: {0} (retrying in {1} s)', message, again / 1000);
  return tail === '' ? detail : `${detail}\n${tail}`;
}

/** Why a server is neither passed on nor connected yet, if so. */
export function notReadyText(preparation: PrepareResult): string | undefined {
  if (preparation.status === 'none') return t('not requested yet');
  if (preparation.status === 'working') return preparation.label;
  return preparation.status === 'stuck' ? preparation.why : undefined;
}

/**
 * The reason why a connection cannot be called now or soon; undefined if it can.
 * @param state text of the server's state
 */
export function unavailableConnectionText(
  { state: connection, listing }: Pick<ServerConnection, 'state' | 'listing'>,
  state: string | undefined,
): string | undefined {
  const hasFailed = connection.status === 'failed' && connection.again === undefined;
  return hasFailed || listing === undefined ? (state ?? t('not connected')) : undefined;
}
