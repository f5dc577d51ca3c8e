import { Emitter } from '../../../src/base/event';
import type { Action } from '../../../src/shared/actions';
import { entryAt } from '../../../src/shared/entries';
import { reduce } from '../../../src/shared/reducer';
import { emptySession } from '../../../src/shared/state';
import type { PermissionOption, SessionState, SignInMethod } from '../../../src/shared/state';
import type { ViewSession, ViewSessions } from '../../../src/view/ports';

/** A session with the real state model and nothing behind it; what it was told to do is in `calls`. */
export class FakeSession implements ViewSession {
  readonly calls: unknown[][] = [];
  readonly folders = ['/work space'];
  readonly #dispatched = new Emitter<{ action: Action; seq: number }>();
  readonly onDidDispatch = this.#dispatched.event;
  state: SessionState;
  seq = 0;

  readonly id: string;

  constructor(id: string) {
    this.id = id;
    this.state = emptySession(id, { name: 'fake', title: 'Fake' });
  }

  dispatch(action: Action): void {
    this.state = reduce(this.state, action);
    this.seq++;
    this.#dispatched.fire({ action, seq: this.seq });
  }

  /** Starts a turn with one tool call and one question about it; gives the question's entry. */
  ask(
    options: readonly PermissionOption[],
    tool: { title?: string; rawInput?: unknown } = {},
    destructive?: string,
  ): number {
    if (this.state.turn.status === 'idle') this.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
    const index = this.state.entries.count;
    this.dispatch({ type: 'toolStarted', toolCallId: `t${index}`, patch: tool, at: 2 });
    const title = tool.title ?? 'Do it';
    const why = destructive === undefined ? {} : { destructive };
    this.dispatch({ type: 'permissionAsked', permissionId: `p${index}`, tool: index, title, options, ...why, at: 3 });
    return index + 1;
  }

  async send(text: string): Promise<void> {
    this.calls.push(['send', text]);
  }
  readonly elicitations = {
    address: (id: string) => `https://example.test/${id}`,
    answer: (id: string, answer: unknown) => this.calls.push(['answerElicitation', id, answer]) > 0,
  };
  readonly auth = {
    offer: async () => ({ agent: 'Fake', methods: this.methods, canSignOut: true, account: 'me' }),
    signIn: async (methodId: string) => void this.calls.push(['signIn', methodId]),
    cancel: () => void this.calls.push(['cancelSignIn']),
    signOut: async () => void this.calls.push(['signOut']),
  };
  /** The ways to sign in that its agent offers. */
  methods: readonly SignInMethod[] = [];
  stop(): void {
    this.calls.push(['stop']);
  }
  async forceStop(): Promise<void> {
    this.calls.push(['forceStop']);
  }
  async retry(): Promise<void> {
    this.calls.push(['retry']);
  }
  async restart(): Promise<void> {
    this.calls.push(['restart']);
  }
  async choose(id: string, value: string | boolean): Promise<void> {
    this.calls.push(['choose', id, value]);
  }
  stopSubagent(childId: string): void {
    this.calls.push(['stopSubagent', childId]);
  }
  async chooseAgent(name: string): Promise<void> {
    this.calls.push(['chooseAgent', name]);
  }
  nameAgent(name: string): void {
    this.calls.push(['nameAgent', name]);
  }
  answer(permissionId: string, optionId: string): void {
    this.calls.push(['answer', permissionId, optionId]);
    const entry = this.state.waiting.find((index) => {
      const waiting = entryAt(this.state.entries, index);
      return waiting?.kind === 'permission' && waiting.permissionId === permissionId;
    });
    if (entry === undefined) return;
    this.dispatch({ type: 'permissionAnswered', entry, outcome: { type: 'selected', optionId }, at: 4 });
  }
  async remember(permissionId: string, scope: string): Promise<void> {
    this.calls.push(['remember', permissionId, scope]);
  }
  diff(): undefined {
    return undefined;
  }
}

export class FakeSessions implements ViewSessions {
  readonly #asked = new Emitter<{ session: ViewSession; entry: number }>();
  readonly #activeChanged = new Emitter<ViewSession>();
  readonly #changed = new Emitter<ViewSession>();
  readonly onDidAsk = this.#asked.event;
  readonly onDidChangeActive = this.#activeChanged.event;
  readonly onDidChange = this.#changed.event;
  readonly calls: unknown[][] = [];
  readonly sessions: FakeSession[];
  active: FakeSession;

  constructor(sessions: FakeSession[]) {
    this.sessions = sessions;
    this.active = sessions[0]!;
  }

  all(): readonly FakeSession[] {
    return this.sessions;
  }
  /** Tells that something happened in a session. */
  fireChange(session: ViewSession): void {
    this.#changed.fire(session);
  }
  newChat(agentName?: string): FakeSession {
    this.calls.push(['newChat', agentName]);
    return this.active;
  }
  activate(session: ViewSession): void {
    this.active = session as FakeSession;
    this.#activeChanged.fire(session);
  }
}

export const allowOnce: PermissionOption = { optionId: 'a1', name: 'Allow', kind: 'allow_once' };
export const allowAlways: PermissionOption = { optionId: 'a2', name: 'Always allow', kind: 'allow_always' };
export const rejectOnce: PermissionOption = { optionId: 'r1', name: 'Reject', kind: 'reject_once' };
