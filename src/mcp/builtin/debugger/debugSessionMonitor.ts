import { stripVTControlCharacters } from 'node:util';
import * as vscode from 'vscode';
import { createDeferred, settlesWithin } from '../../../base/async';
import { Emitter } from '../../../base/event';
import { asString, isObject } from '../../../base/json';
import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore } from '../../../base/lifecycle';
import { lastChars } from '../../../base/text';

/** UTF-16 units of a debugged program's output that are kept. */
const MAX_OUTPUT_CHARS = 8_000;

/** State of a debug session as its adapter reports it. */
export type DebugPhase =
  | { readonly kind: 'running' }
  | { readonly kind: 'stopped'; readonly reason: string; readonly threadId?: number; readonly text?: string }
  | { readonly kind: 'ended'; readonly exitCode?: number };

interface Watched {
  /** Undefined until the first report: the session may have stopped before monitoring began. */
  phase: DebugPhase | undefined;
  output: string;
}

/** Follows adapter messages: VS Code's API does not expose stops and output. */
export class DebugSessionMonitor implements Disposable {
  readonly #store = new DisposableStore();
  readonly #watched = new WeakMap<vscode.DebugSession, Watched>();
  readonly #changed = this.#store.add(new Emitter<vscode.DebugSession>());
  /** Sessions with a tracked adapter; excludes sessions that existed before. */
  readonly #heard = new WeakSet<vscode.DebugSession>();

  constructor() {
    this.#store.add(
      vscode.debug.registerDebugAdapterTrackerFactory('*', {
        createDebugAdapterTracker: (session) => {
          this.#heard.add(session);
          return { onDidSendMessage: (message: unknown) => this.#onMessage(session, message) };
        },
      }),
    );
    this.#store.add(vscode.debug.onDidTerminateDebugSession((session) => this.#onEnd(session)));
    this.#store.add(vscode.debug.onDidChangeActiveStackItem((item) => this.#onStackItem(item)));
  }

  /** Undefined until the adapter has reported something. */
  phase(session: vscode.DebugSession): DebugPhase | undefined {
    return this.#watched.get(session)?.phase;
  }

  output(session: vscode.DebugSession): string {
    return this.#watched.get(rootOf(session))?.output ?? '';
  }

  setPhase(session: vscode.DebugSession, phase: DebugPhase): void {
    this.#watchedOf(session).phase = phase;
    this.#changed.fire(session);
  }

  /**
   * Waits until this session, or any if undefined, stops or ends.
   * @returns that session; undefined on timeout
   */
  async nextStop(
    session: vscode.DebugSession | undefined,
    ms: number,
    signal: AbortSignal,
  ): Promise<vscode.DebugSession | undefined> {
    const hasHalted = (one: vscode.DebugSession): boolean => {
      const kind = this.phase(one)?.kind;
      return (session === undefined || one === session) && (kind === 'stopped' || kind === 'ended');
    };
    if (session && hasHalted(session)) return session;
    const found = createDeferred<vscode.DebugSession | undefined>();
    const listening = this.#changed.event((one) => hasHalted(one) && found.resolve(one));
    const abort = (): void => found.resolve(undefined);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return (await settlesWithin(found.promise, ms)) ? await found.promise : undefined;
    } finally {
      listening.dispose();
      signal.removeEventListener('abort', abort);
    }
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** For sessions without a tracked adapter: a stack item means that the session has stopped. */
  #onStackItem(item: typeof vscode.debug.activeStackItem): void {
    if (!(item instanceof vscode.DebugStackFrame) || this.#heard.has(item.session)) return;
    this.setPhase(item.session, { kind: 'stopped', reason: 'unknown', threadId: item.threadId });
  }

  #onMessage(session: vscode.DebugSession, message: unknown): void {
    if (!isObject(message) || message['type'] !== 'event') return;
    const body = isObject(message['body']) ? message['body'] : {};
    switch (message['event']) {
      case 'stopped':
        this.setPhase(session, stoppedAs(body));
        break;
      case 'continued':
        this.setPhase(session, { kind: 'running' });
        break;
      case 'exited':
        this.setPhase(session, {
          kind: 'ended',
          ...(typeof body['exitCode'] === 'number' && { exitCode: body['exitCode'] }),
        });
        break;
      case 'output':
        this.#print(session, body);
        break;
      default:
    }
  }

  /** Adapters color their output. */
  #print(session: vscode.DebugSession, body: { readonly [key: string]: unknown }): void {
    if (body['category'] === 'telemetry') return;
    const watched = this.#watchedOf(rootOf(session));
    watched.output = lastChars(
      watched.output + stripVTControlCharacters(asString(body['output']) ?? ''),
      MAX_OUTPUT_CHARS,
    );
  }

  #onEnd(session: vscode.DebugSession): void {
    if (this.phase(session)?.kind !== 'ended') this.setPhase(session, { kind: 'ended' });
  }

  #watchedOf(session: vscode.DebugSession): Watched {
    const watched = this.#watched.get(session) ?? { phase: undefined, output: '' };
    this.#watched.set(session, watched);
    return watched;
  }
}

/** Some adapters start a child session; the output may come from either. */
function rootOf(session: vscode.DebugSession): vscode.DebugSession {
  return session.parentSession ? rootOf(session.parentSession) : session;
}

function stoppedAs(body: { readonly [key: string]: unknown }): DebugPhase {
  const { threadId } = body;
  const text = asString(body['text']) ?? asString(body['description']);
  return {
    kind: 'stopped',
    reason: asString(body['reason']) ?? 'unknown',
    ...(typeof threadId === 'number' && { threadId }),
    ...(text !== undefined && { text }),
  };
}
