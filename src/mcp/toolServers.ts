import type { Event } from '../base/event';
import { Emitter } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import { toDisposable } from '../base/lifecycle';
import type { ToolOrigin } from '../shared/tools';
import type { ToolServer } from './toolServer';

/** Where a server comes from: part of Parley, of another extension, or of the person's settings. */
export type Origin = ToolOrigin;

/** A server under the name it is offered by. */
export interface RegisteredServer {
  /** Unique; the second of two equal names is `<name>-2` (tool-servers.md, section 4). */
  readonly name: string;
  readonly server: ToolServer;
  readonly origin: Origin;
  /** The name it wanted, where another server had it. */
  readonly clash?: string;
}

/** The tool servers of this window, in the order in which they came. */
export class ToolServers implements Disposable {
  readonly #servers = new Map<string, RegisteredServer>();
  readonly #changed = new Emitter<void>();

  readonly onDidChange: Event<void> = this.#changed.event;

  /** Offers a server until the result is disposed. */
  add(server: ToolServer, origin: Origin): Disposable {
    const name = this.#free(server.name);
    const registered = { name, server, origin, ...(name !== server.name && { clash: server.name }) };
    this.#servers.set(name, registered);
    this.#changed.fire();
    return toDisposable(() => {
      this.#servers.delete(name);
      this.#changed.fire();
    });
  }

  list(): readonly RegisteredServer[] {
    return [...this.#servers.values()];
  }

  get(name: string): RegisteredServer | undefined {
    return this.#servers.get(name);
  }

  dispose(): void {
    this.#servers.clear();
    this.#changed.dispose();
  }

  #free(name: string): string {
    if (!this.#servers.has(name)) return name;
    for (let number = 2; ; number += 1) {
      if (!this.#servers.has(`${name}-${number}`)) return `${name}-${number}`;
    }
  }
}
