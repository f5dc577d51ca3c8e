import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, toDisposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { ParleyApi } from './parleyApi';
import { ExtensionToolServer, readToolServer } from './extensionToolServer';
import { connectInProcess } from './inProcessServer';
import type { ToolServers } from '../toolServerRegistry';
import type { VendorMethods } from './vendorMethods';

interface ExtensionApiDeps {
  readonly servers: ToolServers;
  readonly vendor: VendorMethods;
  readonly log: Logger;
  readonly version: string;
}

export function extensionApi(deps: ExtensionApiDeps): ParleyApi {
  const { vendor } = deps;
  return {
    version: 1,
    registerToolServer: (server) => registerToolServer(server, deps),
    onRequest: (method, handler, capability) => vendor.onRequest(method, handler, capability),
    onNotification: (method, listener, capability) => vendor.onNotification(method, listener, capability),
    request: (agent, method, params, options) => vendor.request(agent, method, params, options?.signal),
    notify: (agent, method, params) => vendor.notify(agent, method, params),
    agents: () => vendor.agents(),
    onDidChangeAgents: (listener) => vendor.onDidChange(listener),
  };
}

function registerToolServer(definition: unknown, { servers, log, version }: ExtensionApiDeps): Disposable {
  const { create, ...server } = readToolServer(definition);
  log.info('mcp', `An extension added the tool server “${server.name}”`);
  if (!create) return servers.add(server, 'extension');
  const store = new DisposableStore();
  const open = async (changed: () => void): ReturnType<typeof connectInProcess> =>
    connectInProcess(await create(), version, changed);
  const created = store.add(new ExtensionToolServer(server, open, (sentence) => log.error('mcp', sentence)));
  store.add(servers.add(created, 'extension'));
  return toDisposable(() => store.dispose());
}
