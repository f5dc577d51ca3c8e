import type { AgentDefinition } from '../../agent/config/agentDefinition';
import type { AgentConnection, AnsweredRequest } from '../../agent/connection/agentConnection';
import type { AuthMethod, TerminalLaunch } from '../../agent/connection/authMethods';
import { accountName, readAuthMethods } from '../../agent/connection/authMethods';
import { ParleyError, isCancellation, errorMessage } from '../../base/errors';
import { Emitter } from '../../base/event';
import { asObject, omitUndefined } from '../../base/json';
import { RpcError, SignInError, rpcCodes } from '../../base/jsonRpc';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Connection, SignInMethod } from '../../shared/state/sessionState';

type SignInState = Extract<Connection, { status: 'signIn' }>;

/** Runs a command in a terminal of the editor; resolves with its exit code, or undefined when the terminal was closed first. */
export type RunInTerminal = (launch: TerminalLaunch, signal: AbortSignal) => Promise<number | undefined>;

/** `reconnect`: the command in the terminal succeeded; a new process will be signed in. */
type SignInOutcome = 'signedIn' | 'reconnect' | 'failed';

/** Requests whose success proves that no sign-in is required. */
const PROOFS: ReadonlySet<string> = new Set(['session/new', 'session/load', 'session/resume', 'session/prompt']);
/** Requests whose caller reports the failure. */
const OWN: ReadonlySet<string> = new Set(['authenticate', 'logout', 'auth/status']);

export function isAuthRequired(error: unknown): boolean {
  return error instanceof RpcError && error.code === rpcCodes.authRequired;
}

/** Whether signing in may help: the agent requires it, or its error says so in words. */
export function isAboutSignIn(error: unknown): boolean {
  return isAuthRequired(error) || error instanceof SignInError;
}

/** Whether an agent requires a sign-in, and its methods. One per process. */
export class SignInFlow implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<void>());
  #state: SignInState | undefined;
  #running: AbortController | undefined;
  #account: string | undefined;

  readonly onDidChange = this.#onDidChange.event;

  /** @param runInTerminal undefined where no terminal can be shown: methods that need one are then listed as unsupported */
  constructor(
    private readonly definition: AgentDefinition,
    private readonly connection: AgentConnection,
    private readonly runInTerminal: RunInTerminal | undefined,
  ) {
    this.#store.add(connection.onAnswered((answered) => this.#onAnswer(answered)));
    this.#store.add(connection.onAuthStatus((status) => this.#onStatus(status)));
    this.#store.add(
      connection.onDidChangeState(({ status }) => {
        if (status === 'ready') void this.#askStatus();
        else this.#set(undefined);
      }),
    );
  }

  /** Undefined when no sign-in is required. */
  get state(): SignInState | undefined {
    return this.#state;
  }

  get account(): string | undefined {
    return this.#account;
  }

  get canSignOut(): boolean {
    return asObject(this.#capability('logout')) !== undefined;
  }

  /** Empty while the agent does not run. */
  get methods(): readonly SignInMethod[] {
    return this.#methods().map(toShown);
  }

  /** Never rejects: errors become part of {@link state}. */
  async run(methodId: string): Promise<SignInOutcome> {
    const method = this.#methods().find(({ id }) => id === methodId);
    if (!method) {
      this.#set(this.#requireSignIn({ error: t('The agent does not offer the sign-in method “{0}”.', methodId) }));
      return 'failed';
    }
    this.cancel();
    const before = this.#state;
    const running = new AbortController();
    this.#running = running;
    this.#set(this.#requireSignIn({ signingIn: method.name }));
    try {
      const outcome = await this.#authenticate(method, running.signal);
      if (this.#running === running) this.#set(undefined);
      return outcome;
    } catch (error) {
      if (this.#running !== running) return 'failed';
      this.#set(
        isCancellation(error)
          ? before && this.#requireSignIn({})
          : this.#requireSignIn({ error: sentence(method, error) }),
      );
      return 'failed';
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  cancel(): void {
    this.#running?.abort();
  }

  /**
   * Signs out; the agent then requires a sign-in (ACP: logout).
   * @throws RpcError or ParleyError
   */
  async signOut(): Promise<void> {
    const { title } = this.definition;
    if (!this.canSignOut) throw new ParleyError('badInput', t('{0} does not support signing out.', title));
    await this.connection.request('logout', {});
    this.#account = undefined;
    this.#set(this.#requireSignIn({ message: t('You are signed out of {0}.', title) }));
  }

  dispose(): void {
    this.cancel();
    this.#store.dispose();
  }

  async #authenticate(method: AuthMethod, signal: AbortSignal): Promise<SignInOutcome> {
    if (method.type === 'agent') {
      await this.connection.request('authenticate', { methodId: method.id }, { signal });
      void this.#askStatus();
      return 'signedIn';
    }
    const run = this.runInTerminal;
    if (method.type === 'unsupported' || !run) throw new Error(t('this sign-in method is not supported'));
    const code = await run(method.launch, signal);
    if (code === 0) return 'reconnect';
    const how = code === undefined ? t('the terminal was closed') : t('the command ended with exit code {0}', code);
    throw new ParleyError('agentRefused', t('{0}. You are not signed in to {1}', how, this.definition.title));
  }

  #onAnswer({ method, error }: AnsweredRequest): void {
    if (OWN.has(method)) return;
    if (error?.code === rpcCodes.authRequired) {
      // The answer may be to a request from before the user's attempt, whose failure stays in view.
      const failure = omitUndefined({ error: this.#state?.error });
      if (!this.#running) this.#set(this.#requireSignIn({ detail: error.message, ...failure }));
    } else if (!error && PROOFS.has(method) && !this.#running) this.#set(undefined);
  }

  #onStatus(status: unknown): void {
    this.#account = accountName(status);
    // A pushed "authenticated" ends the request, but does not resume waiting work: agents may push at any time.
    if (asObject(status)?.['state'] === 'authenticated' && !this.#running) this.#set(undefined);
  }

  async #askStatus(): Promise<void> {
    if (asObject(this.#capability('status')) === undefined) return;
    const status = await this.connection.request('auth/status', {}).catch(() => undefined);
    this.#account = accountName(status);
  }

  #capability(name: string): unknown {
    const { state } = this.connection;
    return state.status === 'ready' ? asObject(state.info.capabilities['auth'])?.[name] : undefined;
  }

  #methods(): readonly AuthMethod[] {
    const { state } = this.connection;
    if (state.status !== 'ready') return [];
    return readAuthMethods(state.info.authMethods, this.definition, this.runInTerminal !== undefined);
  }

  #requireSignIn(more: Partial<Omit<SignInState, 'status' | 'methods'>>): SignInState {
    const message = this.#state?.message ?? t('{0} requires sign-in.', this.definition.title);
    return { status: 'signIn', message, methods: this.methods, ...more };
  }

  #set(state: SignInState | undefined): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#onDidChange.fire();
  }
}

function toShown(method: AuthMethod): SignInMethod {
  const { id, name, type, description } = method;
  const launch = method.type === 'terminal' ? [method.launch.command, ...method.launch.args].join(' ') : undefined;
  const unknown = method.type === 'unsupported' ? method.wireType : undefined;
  return { id, name, type, ...omitUndefined({ description, command: launch, unsupportedType: unknown }) };
}

function sentence(method: AuthMethod, error: unknown): string {
  const text = errorMessage(error);
  return /[.!?。！？]$/.test(text) ? t('{0} failed: {1}', method.name, text) : t('{0} failed: {1}.', method.name, text);
}
