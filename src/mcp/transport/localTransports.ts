import type { JsonObject } from '../../base/json';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { HostedServer } from '../host/hostedServer';

/** The transports of this machine for agents without MCP over ACP; each is loaded when first used. */
export class LocalTransports implements Disposable {
  readonly #http = new Lazy(async () => {
    const { McpOverHttp } = await import('./mcpOverHttp');
    return new McpOverHttp(this.log, await import('../contract/mcpServerSdk'));
  });
  readonly #relays = new Lazy(async () => {
    const { RelaySocket } = await import('./mcpOverStdio');
    return new RelaySocket(this.log, this.relay);
  });

  /** @param relay absolute path of the bundled relay for agents without HTTP */
  constructor(
    private readonly log: Logger,
    private readonly relay: string,
  ) {}

  /**
   * Serves a server, and returns its declaration for the agent.
   * @throws Error when no port or socket can be opened
   */
  async declare(served: HostedServer, kind: 'http' | 'stdio'): Promise<JsonObject> {
    const { name } = served;
    if (kind === 'http') {
      const { url, token } = await (await this.#http.load()).add(served);
      return { type: 'http', name, url, headers: [{ name: 'Authorization', value: `Bearer ${token}` }] };
    }
    const { command, args, env } = await (await this.#relays.load()).add(served);
    return { name, command, args, env: Object.entries(env).map(([key, value]) => ({ name: key, value })) };
  }

  remove(served: HostedServer): void {
    this.#http.value?.remove(served);
    this.#relays.value?.remove(served);
  }

  dispose(): void {
    this.#http.dispose();
    this.#relays.dispose();
  }
}
