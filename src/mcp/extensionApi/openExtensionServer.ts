import { systemClock } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asString } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { SessionHandle } from '../../session/sessionHandle';
import { ServerMessages } from '../contract/serverMessages';
import { ResourceWatchers } from '../userServers/connection/resourceSubscriptions';
import type { SessionInstance } from './extensionSession';
import { InProcessServer } from './inProcessServer';
import type { ApiMcpServer } from './parleyApi';

/** What an instance reports to. */
interface Reporting {
  /** Of Parley. */
  readonly version: string;
  readonly log: Logger;
  /** The instance has other lists or messages. */
  readonly onDidChange: () => void;
}

/**
 * Connects the server that an extension created for one session. Its lists are read now and on every `list_changed`.
 * @throws the error of the server
 */
export async function openExtensionServer(
  instance: SessionInstance,
  created: ApiMcpServer,
  session: SessionHandle,
  { version, log, onDidChange }: Reporting,
): Promise<void> {
  const { name } = instance;
  const messages = new ServerMessages(name, systemClock, log);
  const watches = new ResourceWatchers();
  const server = new InProcessServer(created, session, name, (method, params) => receive(method, params));
  const fail = (error: unknown): void => log.error('mcp', `The tool server “${name}” failed: ${errorMessage(error)}`);
  instance.close = () => void server.close().catch(fail);
  if (instance.isClosed) return instance.close();
  const list = async (): Promise<void> => {
    const { prompts: listedPrompts, ...lists } = await server.list();
    if (instance.isClosed) return;
    Object.assign(instance, { ...lists, listedPrompts });
    instance.didChange.fire();
    onDidChange();
  };
  const receive = (method: string, params: JsonObject): void => {
    if (method === 'notifications/message') messages.add(params);
    else if (method === 'notifications/resources/updated') instance.didUpdate.fire(asString(params['uri']) ?? '');
    else if (method.endsWith('/list_changed')) void list().catch(fail);
  };
  messages.onDidAdd(onDidChange);
  await server.open(version);
  watches.onDidChange(() => server.subscribe(watches.uris));
  instance.messages = messages;
  instance.watch = (uri) => watches.add(uri);
  if (server.completes) instance.complete = (params) => server.read('completion/complete', params);
  instance.instructions = [instance.instructions, server.instructions].filter(Boolean).join('\n\n');
  if (server.notCarried.length > 0) {
    const names = server.notCarried.join(', ');
    log.warn('mcp', `The tool server “${name}” offers ${names}, which Parley does not pass on to agents`);
  }
  await list();
}
