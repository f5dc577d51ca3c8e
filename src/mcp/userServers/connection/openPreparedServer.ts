import type { Clock } from '../../../base/clock';
import { t } from '../../../base/l10n';
import type { ServerLaunch } from '../config/serverDefinition';
import type { McpClientOptions } from './mcpClient';
import type { ServerClient } from './serverListing';

interface PreparedServer extends Omit<McpClientOptions, 'start' | 'folder' | 'roots' | 'now'> {
  readonly start: ServerLaunch | undefined;
  readonly folder: () => string;
  readonly folders: () => readonly string[];
  readonly clock: Clock;
}

/**
 * Connects to a server once its consent, inputs and command are known.
 * @throws OpenError
 */
export async function openPreparedServer({ start, ...options }: PreparedServer): Promise<ServerClient> {
  if (!start) throw new Error(t('the server is not ready'));
  const { folder, folders, clock } = options;
  const { openClient } = await import('./mcpClient');
  return openClient({ ...options, start, folder: folder(), roots: folders, now: () => clock.elapsed() });
}
