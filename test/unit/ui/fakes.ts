import { Emitter } from '../../../src/base/event';
import type { Disposable } from '../../../src/base/lifecycle';
import { toDisposable } from '../../../src/base/lifecycle';
import type { DiffTexts } from '../../../src/history/diff/diffStore';
import type { SessionStore } from '../../../src/history/sessionStore';
import type { AlwaysRuleResult } from '../../../src/permissions/alwaysRules';
import type { RuleRequest } from '../../../src/permissions/rules/ruleRequest';
import { toolSubject } from '../../../src/permissions/subject/toolSubject';
import type { Session, SessionRequests } from '../../../src/session/session';
import type { Sessions } from '../../../src/session/sessions';
import { entryAt } from '../../../src/shared/state/entryPages';
import type { Preset } from '../../../src/shared/state/preset';
import type { Action } from '../../../src/shared/state/sessionActions';
import { reduce } from '../../../src/shared/state/sessionReducer';
import { emptySession } from '../../../src/shared/state/sessionState';
import type { SessionState, SignInMethod } from '../../../src/shared/state/sessionState';
import type { PermissionOption, ToolPatch } from '../../../src/shared/state/toolCallState';
import { stubOf } from '../../kit/stubOf';

/** A session with the real state model and stubs for the rest; `calls` records its method calls. */
export class FakeSession implements Session {
  needsAgent = false;
  isRemote = false;
  readonly isReplay = false;
  readonly calls: unknown[][] = [];
  /** Requests as the user saw them, by permission id. */
  readonly answered = new Map<string, RuleRequest>();
  readonly cwd = '/work space';
  readonly folders: readonly string[] = ['/work space'];
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

  /** Starts a turn with one tool call and one permission request; returns the entry of the request. */
  ask(
    options: readonly PermissionOption[],
    tool: ToolPatch = {},
    destructive?: string,
    more: { readonly showsInput?: boolean; readonly why?: string } = {},
  ): number {
    if (this.state.turn.status === 'idle') this.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
    const index = this.state.entries.count;
    this.dispatch({ type: 'toolStarted', toolCallId: `t${index}`, patch: tool, at: 2 });
    const title = tool.title ?? 'Do it';
    const isCommand = toolSubject({ title, ...tool }).type === 'command';
    const why = { ...more, ...(isCommand && { isCommand }), ...(destructive !== undefined && { destructive }) };
    this.dispatch({ type: 'permissionAsked', permissionId: `p${index}`, tool: index, title, options, ...why, at: 3 });
    return index + 1;
  }

  readonly warmStart = { start: async () => void this.calls.push(['warmStart.start']) };

  async send(text: string): Promise<void> {
    this.calls.push(['send', text]);
  }
  readonly queue = {
    change: (id: string, text: string) => this.calls.push(['queue.change', id, text]) > 0 && id !== 'gone',
    move: (id: string, to: number) => void this.calls.push(['queue.move', id, to]),
    remove: (id: string) => void this.calls.push(['queue.remove', id]),
    sendNow: async (id: string) => void this.calls.push(['queue.sendNow', id]),
    hold: (id: string | undefined) => void this.calls.push(['queue.hold', id]),
    resume: () => void this.calls.push(['queue.resume']),
    answerBudget: (continues: boolean) => void this.calls.push(['queue.answerBudget', continues]),
  };
  readonly limitRetry = {
    schedule: (entry: number) => void this.calls.push(['limitRetry.schedule', entry]),
    cancel: () => void this.calls.push(['limitRetry.cancel']),
  };
  readonly auth = {
    offer: async () => ({ agent: 'Fake', methods: this.methods, canSignOut: true, account: 'me' }),
    signIn: async (methodId: string) => void this.calls.push(['signIn', methodId]),
    cancel: () => void this.calls.push(['cancelSignIn']),
    signOut: async () => void this.calls.push(['signOut']),
  };
  /** The authentication methods of its agent. */
  methods: readonly SignInMethod[] = [];
  readonly turn = { stop: () => void this.calls.push(['stop']) };
  readonly restarter = { forceStop: async () => void this.calls.push(['forceStop']) };
  readonly configOptions = {
    choose: async (id: string, value: string | boolean) => void this.calls.push(['choose', id, value]),
  };
  readonly userRequests = stubOf<SessionRequests>({
    elicitations: {
      urlOf: (id: string) => `https://example.test/${id}`,
      answer: async (id: string, answer: unknown) => this.calls.push(['answerElicitation', id, answer]) > 0,
    },
    answer: (permissionId: string, optionId: string) => this.#answer(permissionId, optionId),
    answeredRequest: (permissionId: string) => this.answered.get(permissionId),
    alwaysRules: {
      saveRule: async (permissionId: string, scope: string): Promise<AlwaysRuleResult> => {
        this.calls.push(['saveRule', permissionId, scope]);
        return { rules: [] };
      },
    },
  });
  async retry(): Promise<void> {
    this.calls.push(['retry']);
  }
  async restart(): Promise<void> {
    this.calls.push(['restart']);
  }
  stopSubagent(childId: string): void {
    this.calls.push(['stopSubagent', childId]);
  }
  async chooseAgent(name: string): Promise<void> {
    this.calls.push(['chooseAgent', name]);
  }
  async choosePreset(preset: Preset): Promise<void> {
    this.calls.push(['choosePreset', preset.name]);
  }
  setAgent(name: string): void {
    this.calls.push(['nameAgent', name]);
  }
  setFolder(folder: string | undefined): void {
    this.calls.push(['setFolder', folder]);
  }
  #answer(permissionId: string, optionId: string): boolean {
    this.calls.push(['answer', permissionId, optionId]);
    const entry = this.state.waiting.find((index) => {
      const waiting = entryAt(this.state.entries, index);
      return waiting?.kind === 'permission' && waiting.permissionId === permissionId;
    });
    if (entry === undefined) return false;
    this.dispatch({ type: 'permissionAnswered', entry, outcome: { type: 'selected', optionId }, at: 4 });
    return true;
  }
  diff(): DiffTexts | undefined {
    return undefined;
  }
}

export class FakeSessions implements Sessions {
  readonly #asked = new Emitter<{ session: Session; entry: number }>();
  readonly #activeChanged = new Emitter<Session>();
  readonly #changed = new Emitter<Session>();
  readonly hidden = new Emitter<Session>();
  readonly onDidHide = this.hidden.event;
  readonly onDidAsk = this.#asked.event;
  readonly #inViewChanged = new Emitter<Session>();
  readonly #closed = new Emitter<string>();
  readonly onDidChangeActive = this.#activeChanged.event;
  readonly onDidChangeInView = this.#inViewChanged.event;
  readonly onDidClose = this.#closed.event;
  readonly onDidLoseSession = (): Disposable => toDisposable(() => undefined);
  async takeOver(): Promise<Disposable> {
    return toDisposable(() => undefined);
  }
  readonly onDidChange = this.#changed.event;
  readonly calls: unknown[][] = [];
  readonly sessions: FakeSession[];
  active: FakeSession;
  viewSession: FakeSession;
  /** Ids of the sessions in tabs, and of those in visible tabs. */
  readonly held: string[] = [];
  readonly lookedAt: string[] = [];
  readonly unread = new Set<string>();
  isViewVisible = true;

  constructor(sessions: FakeSession[]) {
    this.sessions = sessions;
    this.active = sessions[0]!;
    this.viewSession = this.active;
  }

  readonly store = stubOf<SessionStore>({});
  async refresh(): Promise<void> {}
  async flush(): Promise<void> {}
  allOpen(): readonly FakeSession[] {
    return this.sessions;
  }
  getOpen(id: string): FakeSession | undefined {
    return this.sessions.find((session) => session.id === id);
  }
  /** Ids of the sessions that another window has open. */
  readonly elsewhere = new Set<string>();
  readonly open = {
    isAvailable: (id: string): boolean => !this.elsewhere.has(id),
    reserve: (): Disposable => toDisposable(() => undefined),
    isElsewhere: (id: string): boolean => this.elsewhere.has(id),
    create: (id: string, presetName?: string): FakeSession => {
      const session = new FakeSession(id);
      if (presetName !== undefined) void session.choosePreset({ name: presetName, agent: 'fake' });
      this.sessions.push(session);
      return session;
    },
    load: async (id: string): Promise<FakeSession | undefined> => this.sessions.find((session) => session.id === id),
  };
  /** Fires a change of a session. */
  fireChange(session: Session): void {
    this.#changed.fire(session);
  }
  newChat(agentName?: string): FakeSession {
    this.calls.push(['newChat', agentName]);
    return this.active;
  }
  newSession(): FakeSession {
    return this.open.create(`new ${this.sessions.length}`);
  }
  activate(session: Session): void {
    this.viewSession = session as FakeSession;
    this.#inViewChanged.fire(session);
    this.setActive(session);
  }
  setActive(session: Session): void {
    if (this.active === session) return;
    this.active = session as FakeSession;
    this.#activeChanged.fire(session);
  }
  /** Removes a session, as closing it does. */
  close(session: FakeSession): void {
    this.sessions.splice(this.sessions.indexOf(session), 1);
    this.#closed.fire(session.id);
  }
  retain({ id }: Session): Disposable {
    return noted(this.held, id);
  }
  markVisible({ id }: Session): Disposable {
    return noted(this.lookedAt, id);
  }
  setViewVisible(visible: boolean): void {
    this.isViewVisible = visible;
  }
  isUnread(id: string): boolean {
    return this.unread.has(id);
  }
}

function noted(list: string[], id: string): Disposable {
  list.push(id);
  return toDisposable(() => list.splice(list.indexOf(id), 1));
}

export const allowOnce: PermissionOption = { optionId: 'a1', name: 'Allow', kind: 'allow_once' };
export const allowAlways: PermissionOption = { optionId: 'a2', name: 'Always allow', kind: 'allow_always' };
export const rejectOnce: PermissionOption = { optionId: 'r1', name: 'Reject', kind: 'reject_once' };
