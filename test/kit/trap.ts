import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** Listens on this machine where no connection may arrive. */
export interface Trap {
  readonly port: number;
  /** Connections so far. */
  readonly seen: () => number;
  close(): void;
}

export async function setTrap(): Promise<Trap> {
  let seen = 0;
  const server = createServer((socket) => {
    seen += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, seen: () => seen, close: () => void server.close() };
}
