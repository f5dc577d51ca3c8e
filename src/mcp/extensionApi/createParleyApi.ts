import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, toDisposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { ToolServers } from '../contract/toolServerRegistry';
import { ExtensionToolServer, readToolServer } from './extensionToolServer';
import type { ParleyApi } from './parleyApi';
import type { VendorMethods } from './vendorMethods';

export function createParleyApi(servers: ToolServers, vendor: VendorMethods, log: Logger, version: string): ParleyApi {
  return {
    version: 1,
    registerToolServer: (server) => registerToolServer(server, servers, log, version),
    onRequest: (method, handler, capability) => vendor.onRequest(method, handler, capability),
    onNotification: (method, listener, capability) => vendor.onNotification(method, listener, capability),
    addPromptMeta: (key, provide) => vendor.addPromptMeta(key, provide),
    request: (agent, method, params, options) => vendor.request(agent, method, params, options?.signal),
    notify: (agent, method, params) => vendor.notify(agent, method, params),
    agents: () => vendor.agents(),
    onDidChangeAgents: (listener) => vendor.onDidChange(listener),
  };
}

function registerToolServer(definition: unknown, servers: ToolServers, log: Logger, version: string): Disposable {
  const { create, ...server } = readToolServer(definition);
  log.info('mcp', `An extension added the tool server “${server.name}”`);
  if (!create) return servers.add(server, 'extension');
  const store = new DisposableStore();
  const created = store.add(new ExtensionToolServer(server, create, version, log));
  store.add(servers.add(created, 'extension'));
  return toDisposable(() => store.dispose());
}
