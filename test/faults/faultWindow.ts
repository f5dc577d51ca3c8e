import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { ConnectionOptions } from '../../src/agent/connection/agentLaunch';
import { nullLogger } from '../../src/base/logger';
import { TerminalFeature } from '../../src/client/terminal/terminalFeature';
import type { LiveSession } from '../../src/session/liveSession';
import type { SessionState } from '../../src/shared/state/sessionState';
import { BenchToolServers } from '../conformance/toolServers';
import { RecordingLog } from '../unit/agent/agentBench';
import type { MoreOfConnection } from '../unit/session/sessionBench';
import { SessionBench } from '../unit/session/sessionBench';
import type { Cell, MomentName } from './faults';
import { isSilent } from './faults';

/** The variable that marks all processes of a cell. */
export const MARK = 'PARLEY_FAULT_CELL';

/** The request at which the fault happens; for the other moments the bench triggers it. */
const REQUESTS: Partial<Record<MomentName, string>> = {
  starting: 'initialize',
  signingIn: 'authenticate',
  new: 'session/new',
  load: 'session/load',
  warmStart: 'session/new',
};

/** Runs until the script may continue. */
const COMMAND = `
const { existsSync } = require('node:fs');
console.log('ready');
setInterval(() => existsSync('done') && process.exit(), 20);`;

/** Milliseconds that the user waits for an agent that has stopped responding. */
const PATIENCE_MS = 400;
/** Deadline in milliseconds for `initialize` of an agent that hangs while it starts. Its process takes a second on a busy machine. */
const START_LIMIT_MS = 4_000;
/** Timeout of a wait in milliseconds. */
const LIMIT_MS = 40_000;

/** The window of one cell: sessions with terminals and tool servers, and a user who waits, answers and presses buttons. */
export class FaultWindow {
  readonly cell: Cell;
  readonly folder = mkdtempSync(join(tmpdir(), 'parley-fault-'));
  readonly log = new RecordingLog();
  session!: LiveSession;
  tools!: BenchToolServers;
  #bench!: SessionBench;
  /** Timeout of the user's waits. */
  #isActing = false;
  /** Shorter timeout for an agent that has stopped responding, from the fault until its restart. */
  #isShort = false;

  constructor(cell: Cell) {
    this.cell = cell;
    writeFileSync(this.path('command.cjs'), COMMAND);
  }

  get bench(): SessionBench {
    return this.#bench;
  }

  get state(): SessionState {
    return this.session.state;
  }

  async open(): Promise<void> {
    this.tools = new BenchToolServers();
    this.#bench = await SessionBench.open({
      folder: this.folder,
      env: this.#env(),
      stopDeadline: 100,
      connection: { log: this.log, deadlines: this.#deadlines() },
      more: this.#more(),
    });
    this.session = this.#bench.session;
  }

  /** Opens a session of an earlier window. */
  async show(id: string): Promise<void> {
    await this.#bench.catalog.open(id, (session) => {
      this.#bench.sessions.activate(session);
      this.session = session;
    });
  }

  /** Records the user's actions and waits. */
  acts(action: Promise<unknown>): void {
    this.#isActing = true;
    void this.#settle(action);
  }

  async #settle(action: Promise<unknown>): Promise<void> {
    try {
      await action;
    } catch (error) {
      this.log.error('action', String(error));
    }
    this.#isActing = false;
  }

  get isActing(): boolean {
    return this.#isActing;
  }

  async close(): Promise<void> {
    this.#bench.sessions.interrupt();
    await this.#bench.closeWindow();
    await this.tools.close();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** From here on the agent has its fault at the request of the moment. */
  arm(): void {
    this.#isShort = isSilent(this.cell);
    writeFileSync(this.path('fault'), '');
  }

  /** Ends the fault: agents started from now on work. */
  disarm(): void {
    this.#isShort = false;
    rmSync(this.path('fault'), { force: true });
  }

  /** Triggers the fault now. */
  async strike(): Promise<void> {
    this.arm();
    await this.struck();
  }

  struck(): Promise<void> {
    return this.waitFor('the fault happens', () => !existsSync(this.path('fault')));
  }

  /** Releases a script that waits with `until-file done`. */
  finish(): void {
    writeFileSync(this.path('done'), '');
    this.tools.sample.goOn.fire();
  }

  /** @throws Error when it does not come in time */
  async waitFor(what: string, wished: () => boolean, limit = LIMIT_MS): Promise<void> {
    const end = performance.now() + limit;
    while (!wished()) {
      if (performance.now() > end) throw new Error(`Waited in vain until ${what}:\n${this.#shown()}`);
      await after(5);
    }
  }

  /** Whether the condition is met before the user's timeout. */
  async comes(wished: () => boolean): Promise<boolean> {
    const isStart = this.cell.moment === 'starting';
    const limit = this.#isShort ? PATIENCE_MS + (isStart ? START_LIMIT_MS : 0) : LIMIT_MS;
    const end = performance.now() + limit;
    while (!wished() && performance.now() < end) await after(5);
    return wished();
  }

  #shown(): string {
    return `${JSON.stringify(this.state.connection)} ${JSON.stringify(this.state.turn)}\n${this.#bench.text.slice(-2000)}`;
  }

  #env(): Record<string, string> {
    const { fault, moment } = this.cell;
    const at = REQUESTS[moment];
    const capabilities = { loadSession: true, mcpCapabilities: { http: true } };
    return {
      [MARK]: this.folder,
      FAKE_FAULT: fault,
      FAKE_FAULT_FILE: this.path('fault'),
      ...(at !== undefined && { FAKE_FAULT_AT: at }),
      FAKE_STORE: this.path('agent'),
      FAKE_CAPABILITIES: JSON.stringify(capabilities),
      ...(moment === 'signingIn' && {
        FAKE_AUTH_REQUIRED: 'session/new',
        FAKE_AUTH_METHODS: JSON.stringify([{ id: 'login', name: 'Log in' }]),
      }),
    };
  }

  /** Read again for each launch. */
  #deadlines(): NonNullable<ConnectionOptions['deadlines']> {
    const isShort = (): boolean => this.#isShort && this.cell.moment === 'starting';
    return {
      eof: 300,
      term: 300,
      silentExit: 100,
      get initialize() {
        return isShort() ? START_LIMIT_MS : LIMIT_MS;
      },
    };
  }

  #more(): MoreOfConnection {
    return (lookup, definition, connection) => {
      const terminals = new TerminalFeature(lookup, nullLogger, () => 100_000);
      const tools = this.tools.part(definition, connection);
      const dispose = (): void => {
        terminals.dispose();
        tools.services.dispose();
      };
      return { features: [terminals, tools.feature], services: { ...tools.services, dispose } };
    };
  }
}
