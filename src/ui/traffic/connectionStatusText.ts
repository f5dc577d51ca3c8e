import type { ConnectionStatus } from '../../agent/connection/trafficConnections';
import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';

/** The status of a connection as one word, shown after the agent's name in lists. */
export function statusWord(status: ConnectionStatus): string {
  switch (status) {
    case 'starting':
      return t('starting');
    case 'ready':
      return t('ready');
    case 'reconnecting':
      return t('reconnecting');
    case 'failed':
      return t('failed');
    case 'exited':
      return t('exited');
    case 'stopped':
      return t('stopped');
    default:
      return assertNever(status);
  }
}
