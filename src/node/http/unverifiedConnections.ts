import type { Socket } from 'node:net';

/** Maximum number of open connections that have not sent a token. */
export const MAX_UNVERIFIED = 64;

/**
 * The connections of a local server that have not sent a token. Every program on this machine can open connections, so
 * their number is limited: a new one closes the oldest, so that silent programs cannot lock out an agent.
 */
export class UnverifiedConnections {
  readonly #sockets = new Set<Socket>();

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const [oldest] = this.#sockets;
    if (this.#sockets.size > MAX_UNVERIFIED) oldest?.destroy();
  }

  /** The connection has sent a valid token: the limit no longer applies. */
  verify(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}
