import type { Account } from './serverAccount';

export interface WithAccount {
  readonly name: string;
  readonly account?: Pick<Account, 'status' | 'isSignedOut'> | undefined;
}

/** Notifies once per window that a server requires a sign-in, and again after a grant expired. */
export class SignInNotification<S extends WithAccount> {
  readonly #tell: (server: S) => void;
  readonly #told = new Set<S>();

  /** @param tell offers the sign-in */
  constructor(tell: (server: S) => void) {
    this.#tell = tell;
  }

  refresh(servers: Iterable<S>): void {
    for (const server of servers) {
      const { status, isSignedOut } = server.account ?? {};
      if (status === 'done') this.#told.delete(server);
      if (status !== 'wanted' || isSignedOut || this.#told.has(server)) continue;
      this.#told.add(server);
      this.#tell(server);
    }
  }
}
