import { existsSync, writeFileSync } from 'node:fs';
import type { Json } from './wire';

const env = process.env;

interface Answers {
  readonly succeed: (id: unknown, result: unknown) => Promise<void>;
  readonly fail: (id: unknown, code: number, message: string) => Promise<void>;
  readonly notify: (method: string, params: unknown) => Promise<void>;
}

/** The signed-in state; README.md describes the switches `FAKE_AUTH_…`. */
export class Auth {
  readonly methods: Record<string, (id: unknown, params: Json) => Promise<void>>;
  #signedIn = env['FAKE_AUTH_REQUIRED'] === undefined || existsSync(env['FAKE_AUTH_FILE'] ?? '');
  #failures = Number(env['FAKE_AUTH_FAILURES'] ?? 0);

  constructor({ succeed, fail, notify }: Answers) {
    this.methods = {
      authenticate: async (id, { methodId }) => {
        if (env['FAKE_AUTH_HANG']) return;
        if (this.#failures-- > 0) return fail(id, -32603, `The browser was closed during ${String(methodId)}`);
        this.#signedIn = true;
        await notify('auth/status_update', this.#status());
        await succeed(id, {});
      },
      logout: (id) => {
        this.#signedIn = false;
        return succeed(id, {});
      },
      'auth/status': (id) => succeed(id, this.#status()),
    };
  }

  /** Methods that require authentication. */
  refuses(method: string): boolean {
    return !this.#signedIn && (env['FAKE_AUTH_REQUIRED'] ?? 'session/new session/prompt').split(' ').includes(method);
  }

  #status(): Json {
    if (!this.#signedIn) return { state: 'unauthenticated' };
    return { state: 'authenticated', accounts: [{ label: 'ada@example.test', active: true }] };
  }
}

/** `--login`: simulates the user's sign-in in a terminal. Waits for a line if FAKE_AUTH_ASK is set; exits with FAKE_AUTH_EXIT. */
export function login(): void {
  const finish = (): void => {
    const code = Number(env['FAKE_AUTH_EXIT'] ?? 0);
    if (code === 0 && env['FAKE_AUTH_FILE']) writeFileSync(env['FAKE_AUTH_FILE'], 'signed in');
    process.exit(code);
  };
  if (!env['FAKE_AUTH_ASK']) return finish();
  process.stdout.write('Paste your code: ');
  process.stdin.removeAllListeners('data').once('data', finish);
}
