import type { McpServer } from '@modelcontextprotocol/server';
import type { DisposableStore } from '../base/lifecycle';
import type { BuildOptions } from './build';

/** Offers the documents of a server, and tells those who subscribed when one changes. */
export function offerResources(server: McpServer, store: DisposableStore, options: BuildOptions): void {
  const { registered, session, gate } = options;
  const { resources } = registered.server;
  if (!resources) return;
  const subscribed = followSubscriptions(server);
  const handles = resources.map(({ uri, name, title, description, mimeType, read }) =>
    server.registerResource(name, uri, { title, description, mimeType }, async () => ({
      contents: [{ uri, mimeType, text: await read(session) }],
    })),
  );
  const follow = (): void => {
    const enabled = gate.offersServer(session, registered);
    for (const handle of handles) if (handle.enabled !== enabled) handle.update({ enabled });
  };
  follow();
  store.add(gate.onDidChange(follow));
  for (const { uri, onDidChange } of resources) {
    if (onDidChange) store.add(onDidChange(() => subscribed.tell(uri)));
  }
}

/**
 * Until 2025-11-25 a client subscribes by `resources/subscribe`, which the SDK leaves to the server; the changes that a
 * `subscriptions/listen` wants are picked by the SDK itself.
 */
function followSubscriptions({ server }: McpServer): { tell(uri: string): void } {
  const uris = new Set<string>();
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    uris.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    uris.delete(params.uri);
    return {};
  });
  return {
    tell(uri) {
      // Who said `initialize` is of that era, and gets only what it asked for.
      const listens = server.getClientVersion() === undefined || uris.has(uri);
      if (listens) server.sendResourceUpdated({ uri }).catch(() => undefined);
    },
  };
}
