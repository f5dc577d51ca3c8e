import type { Account } from './serverAccount';

interface WithAccount {
  readonly account: Account | undefined;
}

/** Notifies once per window that a server requires a sign-in, and again after a grant expired. */
export class SignInNotification<S extends WithAccount> {
  readonly #notified = new Set<S>();

  /** @param show offers the sign-in */
  constructor(private readonly show: (server: S) => void) {}

  refresh(servers: Iterable<S>): void {
    for (const server of servers) {
      const { status, isSignedOut } = server.account ?? {};
      if (status === 'done') this.#notified.delete(server);
      if (status !== 'required' || isSignedOut || this.#notified.has(server)) continue;
      this.#notified.add(server);
      this.show(server);
    }
  }
}
