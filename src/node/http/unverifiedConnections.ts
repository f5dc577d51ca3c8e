import type { Socket } from 'node:net';

/** Connections that may be open at a time without having shown a token. */
export const MAX_UNVERIFIED = 64;

/**
 * The connections of a local server that have not shown a token. Every program on this machine can open them, so their number is limited:
 * the oldest one is closed for a new one, because a program that waits in silence must not keep an agent out.
 */
export class UnverifiedConnections {
  readonly #sockets = new Set<Socket>();

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const [oldest] = this.#sockets;
    if (this.#sockets.size > MAX_UNVERIFIED) oldest?.destroy();
  }

  /** The connection has shown its token: the limit no longer concerns it. */
  verify(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}
