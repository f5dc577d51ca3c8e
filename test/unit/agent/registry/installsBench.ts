import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import type { InstallTarget } from '../../../../src/agent/registry/agentInstalls';
import { AgentInstalls } from '../../../../src/agent/registry/agentInstalls';
import { AgentRegistry } from '../../../../src/agent/registry/agentRegistry';
import { systemClock } from '../../../../src/base/clock';
import { Lazy } from '../../../../src/base/lazy';
import type { Logger } from '../../../../src/base/logger';
import type { Memento } from '../../../../src/base/memento';
import { MemoryMemento } from '../../../kit/memoryMemento';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A local web server for the registry and for downloads. */
export class WebServer {
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #handlers = new Map<string, Handler>();

  static async start(): Promise<WebServer> {
    const server = new WebServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /** @param path With a leading slash. */
  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  on(path: string, handler: Handler): void {
    this.#handlers.set(path, handler);
  }

  /** Serves these bytes and returns their URL. */
  file(path: string, bytes: Uint8Array | string): string {
    this.on(path, (_request, response) => response.end(bytes));
    return this.url(path);
  }

  count(path: string): number {
    return this.requests.filter((request) => request.path === path).length;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.requests.push({ path, headers: request.headers });
    const handler = this.#handlers.get(path);
    if (handler) handler(request, response);
    else response.writeHead(404).end();
  }
}

/** Installs into a separate folder, with a readable log and an adjustable clock. */
export class InstallsBench {
  readonly folder = mkdtempSync(join(tmpdir(), 'parley-registry-'));
  readonly memory = new MemoryMemento();
  readonly lines: string[] = [];
  readonly agents = join(this.folder, 'agents');
  readonly installs: AgentInstalls;
  now = 1_000_000_000_000;

  constructor(
    url: string,
    options: InstallTarget & { readonly path?: string; readonly memory?: Memento; readonly folder?: string } = {},
  ) {
    const write = (_tag: string, message: string): void => void this.lines.push(message);
    const log: Logger = { trace: write, info: write, warn: write, error: write };
    const registry = new AgentRegistry({ url }, join(this.folder, 'registry.json'), log, {
      ...systemClock,
      now: () => this.now,
    });
    const { memory: stored = this.memory, folder = this.agents } = options;
    this.installs = new AgentInstalls(new Lazy(async () => registry), stored, folder, log, {
      platform: ['linux', 'x64'],
      environment: () => Promise.resolve({ PATH: options.path ?? '' }),
      ...options,
    });
  }

  /** All paths below the folder of agents. */
  files(): string[] {
    try {
      return readdirSync(this.agents, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(this.agents, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
        .toSorted();
    } catch {
      return [];
    }
  }

  dispose(): void {
    this.installs.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export type TarEntries = Parameters<typeof packTar>[0];

/** A file for {@link tgz}. */
export function file(name: string, text: string, mode = 0o644): TarEntries[number] {
  const body = new TextEncoder().encode(text);
  return { header: { name, size: body.length, type: 'file', mode }, body };
}

export async function tar(entries: TarEntries): Promise<Uint8Array> {
  return packTar(entries);
}

export async function tgz(entries: TarEntries): Promise<Uint8Array> {
  return gzipSync(await packTar(entries));
}

/** An entry of the registry with a binary for the bench's platform. */
export function binaryEntry(archive: string, more: Record<string, unknown> = {}, fields: Record<string, unknown> = {}) {
  return {
    id: 'packed',
    name: 'Packed',
    version: '1.0.0',
    description: 'An agent in an archive',
    license: 'MIT',
    distribution: { binary: { 'linux-x86_64': { archive, cmd: './bin/agent', args: ['--acp'], ...more } } },
    ...fields,
  };
}
