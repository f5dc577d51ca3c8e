import { randomUUID } from 'node:crypto';
import type { ClientFeature, RequestContext, RequestHandler } from '../../agent/clientFeature';
import { searchEnvironment } from '../../agent/registry/findOnPath';
import { errorMessage, systemErrorCode } from '../../base/errors';
import { invalidParams, RpcError, rpcCodes } from '../../base/jsonRpc';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Env } from '../../node/process/processEnvironment';
import type { SessionLookup, SessionHandle } from '../../session/sessionHandle';
import { requireSession } from '../../session/sessionHandle';
import { AgentTerminal } from './agentTerminal';
import { authorizeCommand } from './authorizeCommand';
import type { ExitStatus, Tty, CommandEnvironment, OnData, RunningCommand } from './commandHandle';
import { commandEnvironment, displayCommand, planSpawn, fitsArgumentLimit, requireProgram } from './commandLine';
import type { SpawnPlan } from './commandLine';
import type { PtySource, PtyModule } from './nodePty';
import { PipedCommand } from './pipedCommand';
import { PtyCommand } from './ptyCommand';
import type { CreateParams, TerminalParams } from './terminalParams';
import { parseCreate, parseTerminal } from './terminalParams';

/** Maximum number of running commands per session. */
export const MAX_TERMINALS = 64;

/** Maximum number of exited, unreleased terminals per session; beyond it the oldest are released. */
const MAX_EXITED = 64;

/** Number of released terminals that are remembered, for a precise error. */
const MAX_RELEASED = 32;

/**
 * `terminal/*` of one agent connection, in pseudo-terminals or on pipes. Members outside {@link ClientFeature} are for
 * the user's actions. Dispose with the connection.
 */
export class TerminalFeature implements ClientFeature, Disposable {
  readonly capabilities = { terminal: true };
  readonly handlers: ClientFeature['handlers'];
  readonly #live = new Map<string, AgentTerminal>();
  readonly #released = new Map<string, AgentTerminal>();
  /** The session ids of commands that are being started, one per command. */
  readonly #starting: string[] = [];
  #isDisposed = false;

  /**
   * @param outputLimit `parley.terminal.outputLimit`, in bytes
   * @param pty pseudo-terminals; commands run on pipes where it has none
   */
  constructor(
    private readonly lookup: SessionLookup,
    private readonly log: Logger,
    private readonly outputLimit: () => number,
    private readonly pty?: PtySource,
  ) {
    this.handlers = [
      {
        method: 'terminal/create',
        parse: parseCreate,
        handle: (params, context) => this.#create(params, context.signal),
      } satisfies RequestHandler<CreateParams>,
      this.#method('terminal/output', async (terminal) => terminal.read()),
      this.#method('terminal/wait_for_exit', waitForExit),
      this.#method('terminal/kill', (terminal) => terminal.kill().then(() => ({}))),
      this.#method('terminal/release', (terminal) => this.#release(terminal).then(() => ({}))),
    ];
  }

  /** The user's "Stop command". The terminal stays valid for the agent. */
  stop(terminalId: string): void {
    this.#live
      .get(terminalId)
      ?.kill()
      .catch((error: unknown) => {
        this.log.warn('client', `Failed to stop the command: ${errorMessage(error)}`);
      });
  }

  /** For the user's input: undefined when the command has ended, has no terminal, or belongs to another connection. */
  tty(terminalId: string): Tty | undefined {
    return this.#live.get(terminalId)?.tty;
  }

  /** Ends all commands of a closed session. */
  async releaseAll(agentSessionId: string): Promise<void> {
    const ended = [...this.#live.values()].filter(({ options }) => options.agentSessionId === agentSessionId);
    await Promise.all(ended.map((terminal) => this.#release(terminal)));
  }

  /** The connection or the window has closed: kills all commands immediately (I5). */
  dispose(): void {
    this.#isDisposed = true;
    for (const terminal of [...this.#live.values(), ...this.#released.values()]) terminal.dispose();
    this.#live.clear();
    this.#released.clear();
  }

  #method(
    method: string,
    run: (terminal: AgentTerminal, context: RequestContext) => Promise<unknown>,
  ): ClientFeature['handlers'][number] {
    return {
      method,
      parse: parseTerminal,
      handle: async (params, context) => run(this.#require(params), context),
    } satisfies RequestHandler<TerminalParams>;
  }

  #require({ sessionId, terminalId }: TerminalParams): AgentTerminal {
    requireSession(this.lookup, sessionId);
    const terminal = this.#live.get(terminalId);
    if (terminal?.options.agentSessionId === sessionId) return terminal;
    const why = this.#released.has(terminalId) ? 'was released' : 'does not exist in this session';
    throw invalidParams(`The terminal "${terminalId}" ${why}`);
  }

  async #create(params: CreateParams, signal: AbortSignal): Promise<{ terminalId: string }> {
    const session = requireSession(this.lookup, params.sessionId);
    this.#requireRoom(params.sessionId);
    this.#starting.push(params.sessionId);
    try {
      return await this.#start(params, session, signal);
    } finally {
      this.#starting.splice(this.#starting.indexOf(params.sessionId), 1);
    }
  }

  async #start(params: CreateParams, session: SessionHandle, signal: AbortSignal): Promise<{ terminalId: string }> {
    const { command, args } = params;
    const userEnv = await searchEnvironment(this.log);
    const isWindows = process.platform === 'win32';
    const variables = otherThan(commandEnvironment(userEnv, {}, { isWindows, hasTty: false }), params.env);
    const { cwd, isLine, allowed } = await authorizeCommand(session, params, variables, signal);
    const pty = await this.pty?.get();
    const env = commandEnvironment(userEnv, params.env, { isWindows, hasTty: pty !== undefined });
    const plan = await planSpawn({ command, args, isLine }, cwd, env).catch((error: unknown) => {
      throw cannotStart(command, error);
    });
    const terminal = this.#newTerminal(params, session, pty !== undefined);
    const { log } = this;
    const running = await startCommand({ plan, environment: { cwd, env }, command, log, onData: terminal.onData }, pty);
    if (this.#isDisposed || this.lookup.find(params.sessionId) !== session) {
      running.lifetime.killNow();
      throw new RpcError(rpcCodes.internalError, 'The session was closed');
    }
    terminal.attach(running, displayCommand(command, args), cwd, allowed);
    this.#live.set(terminal.options.terminalId, terminal);
    return { terminalId: terminal.options.terminalId };
  }

  #newTerminal(params: CreateParams, session: SessionHandle, isScreen: boolean): AgentTerminal {
    const limit = Math.max(1, this.outputLimit());
    return new AgentTerminal({
      terminalId: `terminal-${randomUUID()}`,
      agentSessionId: params.sessionId,
      session,
      limit,
      agentLimit: Math.min(limit, params.outputByteLimit ?? limit),
      isScreen,
    });
  }

  #requireRoom(sessionId: string): void {
    const own = [...this.#live.values()].filter(({ options }) => options.agentSessionId === sessionId);
    const exited = own.filter(({ isOver }) => isOver);
    for (const terminal of exited.slice(0, Math.max(0, exited.length - MAX_EXITED))) {
      this.#release(terminal).catch((error: unknown) => {
        this.log.warn('client', `Failed to release a terminal: ${errorMessage(error)}`);
      });
    }
    const starting = this.#starting.filter((each) => each === sessionId).length;
    if (own.length - exited.length + starting < MAX_TERMINALS) return;
    const message = `This session already runs ${MAX_TERMINALS} commands. End some with terminal/kill or terminal/release.`;
    throw new RpcError(rpcCodes.internalError, message, { limit: MAX_TERMINALS });
  }

  /** The id becomes invalid immediately; the card and "Show in Terminal" keep the output. */
  async #release(terminal: AgentTerminal): Promise<void> {
    const { terminalId } = terminal.options;
    this.#live.delete(terminalId);
    this.#released.set(terminalId, terminal);
    const oldest = this.#released.keys().next().value;
    if (this.#released.size > MAX_RELEASED && oldest !== undefined) this.#released.delete(oldest);
    await terminal.release();
  }
}

/** The variables that differ from the current ones: some agents send their whole environment. */
function otherThan(env: Readonly<Env>, requested: CreateParams['env']): CreateParams['env'] {
  return Object.fromEntries(Object.entries(requested).filter(([name, value]) => env[name] !== value));
}

async function waitForExit(terminal: AgentTerminal, { signal }: RequestContext): Promise<ExitStatus> {
  let cancel: (() => void) | undefined;
  const cancelled = new Promise<never>((_resolve, reject) => {
    cancel = () => reject(new RpcError(rpcCodes.requestCancelled, 'Waiting for the command was cancelled'));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
  try {
    return await Promise.race([terminal.done, cancelled]);
  } finally {
    if (cancel) signal.removeEventListener('abort', cancel);
  }
}

interface CommandStart {
  readonly plan: SpawnPlan;
  readonly environment: CommandEnvironment;
  /** As written by the agent, for errors. */
  readonly command: string;
  readonly log: Logger;
  readonly onData: OnData;
}

/**
 * Starts a command in a pseudo-terminal if available, else on pipes.
 * @throws RpcError that names the command and the reason
 */
export async function startCommand(start: CommandStart, pty: PtyModule | undefined): Promise<RunningCommand> {
  const { plan, environment, log, onData } = start;
  try {
    const terminal = pty && fitsArgumentLimit(plan, environment.env) ? await startInPty(start, pty) : undefined;
    return terminal ?? (await PipedCommand.start(plan, environment, log, onData));
  } catch (error) {
    throw cannotStart(start.command, error);
  }
}

/** Undefined when the system has no free pseudo-terminal: the command can still run on pipes. */
async function startInPty(start: CommandStart, pty: PtyModule): Promise<RunningCommand | undefined> {
  const { plan, environment, log, onData } = start;
  await requireProgram(plan.file, environment.cwd, environment.env);
  try {
    return PtyCommand.start(pty, plan, environment, log, onData);
  } catch (error) {
    log.warn(
      'client',
      `Failed to open a pseudo-terminal for "${start.command}", ran it on pipes: ${errorMessage(error)}`,
    );
    return undefined;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'was not found',
  EACCES: 'is not executable',
  E2BIG: 'has more arguments and variables than the system allows',
};

function cannotStart(command: string, error: unknown): RpcError {
  const reason = reasons[systemErrorCode(error) ?? ''] ?? `could not be started: ${errorMessage(error)}`;
  return new RpcError(rpcCodes.internalError, `The command "${command}" ${reason}`, { command });
}
