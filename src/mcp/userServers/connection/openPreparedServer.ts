import { t } from '../../../base/l10n';
import type { ServerLaunch } from '../config/serverDefinition';
import type { McpClientOptions } from './mcpClient';
import type { ServerClient } from './serverListing';

interface PreparedServer extends Omit<McpClientOptions, 'start' | 'folder' | 'roots'> {
  readonly start: ServerLaunch | undefined;
  readonly folder: () => string;
  readonly folders: () => readonly string[];
}

/**
 * Connects to a server once its consent, inputs and command are known.
 * @throws OpenError
 */
export async function openPreparedServer({ start, ...options }: PreparedServer): Promise<ServerClient> {
  if (!start) throw new Error(t('the server is not ready'));
  const { folder, folders } = options;
  const { openClient } = await import('./mcpClient');
  return openClient({ ...options, start, folder: folder(), roots: folders });
}
