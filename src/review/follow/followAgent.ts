import type { Clock } from '../../base/clock';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { FileAccess } from '../../session/sessionHandle';
import type { Action } from '../../shared/state/sessionActions';
import type { FollowStatus } from '../../shared/protocol/chatPageProtocol';
import type { SessionState } from '../../shared/state/sessionState';
import type { FollowPlace } from './followLocation';
import { placeOf } from './followLocation';
import * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import type { Logger } from '../../base/logger';
import { FollowPreview } from './followPreview';

/** Milliseconds between two places: what comes faster cannot be read, the latest wins. */
const GAP = 400;

/** What following needs of a session; `Session` has it. */
export interface FollowSession {
  readonly id: string;
  /** Absolute paths of the workspace folders. */
  readonly folders: readonly string[];
  readonly state: SessionState;
  readonly onDidDispatch: Event<{ readonly action: Action }>;
}

/** The editor as following needs it. */
export interface FollowEditor extends Disposable {
  /** Shows a place without taking the focus. False when it cannot or must not be shown. */
  reveal(place: FollowPlace, session: FollowSession): Promise<boolean>;
  /** Takes the mark away; the editor stays. */
  clear(): void;
  /** The user moved the cursor or scrolled where the agent is shown, or turned to something else there. */
  readonly onDidTakeOver: Event<void>;
}

export interface FollowOptions {
  readonly sessions: { readonly active: FollowSession; readonly onDidChangeActive: Event<unknown> };
  readonly editor: FollowEditor;
  /** The setting `parley.follow`. */
  enabled(): boolean;
  /** Writes that setting. */
  setEnabled(enabled: boolean): Promise<void>;
  readonly onDidChangeSettings: Event<void>;
  readonly clock: Clock;
}

/**
 * Shows in the editor where the agent of the active session is at work, for as long as a turn runs. It gives way to the user, who
 * takes it up again by the toggle.
 */
export class Follow implements Disposable {
  readonly #options: FollowOptions;
  readonly #store = new DisposableStore();
  readonly #session = this.#store.add(new MutableDisposable<Disposable>());
  readonly #gap = this.#store.add(new MutableDisposable<Disposable>());
  readonly #changed = this.#store.add(new Emitter<FollowStatus>());
  #paused = false;
  #status: FollowStatus;
  /** Where the agent is, also while nobody follows: taking it up again leads there. */
  #latest: FollowPlace | undefined;
  #shown: FollowPlace | undefined;
  #waiting = false;
  #busy = false;

  /** Fires when {@link status} has changed. */
  readonly onDidChange: Event<FollowStatus> = this.#changed.event;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#status = this.#currentStatus();
    this.#store.add(options.editor);
    this.#store.add(options.editor.onDidTakeOver(() => this.#takenOver()));
    this.#store.add(options.onDidChangeSettings(() => this.#refresh()));
    this.#store.add(options.sessions.onDidChangeActive(() => this.#attach()));
    this.#attach();
  }

  get status(): FollowStatus {
    return this.#status;
  }

  /** Off when it follows; else it follows from where the agent is. */
  async toggle(): Promise<void> {
    const wasFollowing = this.#status === 'following';
    this.#paused = false;
    if (this.#options.enabled() === wasFollowing) await this.#options.setEnabled(!wasFollowing);
    this.#refresh();
    if (!wasFollowing && this.#isRunning) this.#go();
  }

  /** The agent of a session has read or written a file through the editor. */
  touched({ sessionId, path, line }: FileAccess): void {
    if (sessionId === this.#options.sessions.active.id) this.#at({ path, ...(line !== undefined && { line }) });
  }

  dispose(): void {
    this.#store.dispose();
  }

  get #isRunning(): boolean {
    return this.#options.sessions.active.state.turn.status === 'running';
  }

  #attach(): void {
    this.#forget();
    this.#session.value = this.#options.sessions.active.onDidDispatch(({ action }) => this.#acted(action));
  }

  /** What child sessions do does not lead the user away from what the agent itself does: their actions are not looked at. */
  #acted(action: Action): void {
    if (action.type === 'turnEnded') {
      // What was reported last is still shown; then nobody is at work there.
      if (!this.#waiting) this.#forget();
      return;
    }
    const place = action.type === 'toolStarted' || action.type === 'toolChanged' ? placeOf(action.patch) : undefined;
    if (place) this.#at(place);
  }

  #at(place: FollowPlace): void {
    // A session that is brought back tells what it did long ago.
    if (!this.#isRunning) return;
    this.#latest = place;
    this.#go();
  }

  #go(): void {
    const place = this.#latest;
    if (this.#status !== 'following' || !place || isSame(place, this.#shown)) return;
    this.#waiting = true;
    if (!this.#busy && !this.#gap.value) void this.#showNext();
  }

  async #showNext(): Promise<void> {
    const place = this.#latest;
    if (!this.#waiting || !place) return;
    this.#waiting = false;
    this.#busy = true;
    const session = this.#options.sessions.active;
    const shown = await this.#options.editor.reveal(place, session);
    this.#busy = false;
    if (session !== this.#options.sessions.active || this.#status !== 'following') this.#options.editor.clear();
    else if (shown) this.#shown = place;
    this.#gap.value = this.#options.clock.after(GAP, () => this.#gapOver());
  }

  #gapOver(): void {
    this.#gap.value = undefined;
    if (this.#waiting) void this.#showNext();
    else if (!this.#isRunning) this.#forget();
  }

  #takenOver(): void {
    if (this.#status !== 'following' || !this.#isRunning) return;
    this.#paused = true;
    this.#refresh();
  }

  #forget(): void {
    this.#latest = undefined;
    this.#shown = undefined;
    this.#waiting = false;
    this.#options.editor.clear();
  }

  #refresh(): void {
    const status = this.#currentStatus();
    if (status === this.#status) return;
    this.#status = status;
    if (status !== 'following') {
      this.#waiting = false;
      this.#shown = undefined;
      this.#options.editor.clear();
    }
    this.#changed.fire(status);
  }

  #currentStatus(): FollowStatus {
    if (!this.#options.enabled()) return 'off';
    return this.#paused ? 'paused' : 'following';
  }
}

function isSame(a: FollowPlace, b: FollowPlace | undefined): boolean {
  return a.path === b?.path && a.line === b.line;
}

export interface FollowDeps extends Pick<FollowOptions, 'sessions'> {
  readonly settings: { get(key: 'follow'): boolean; readonly onDidChange: Event<void> };
  readonly log: Logger;
}

/** Builds following in VS Code's editor. */
export function mountFollow(deps: FollowDeps): Follow {
  const { log, sessions, settings } = deps;
  return new Follow({
    sessions,
    editor: new FollowPreview(log),
    enabled: () => settings.get('follow'),
    setEnabled: writeSetting,
    onDidChangeSettings: settings.onDidChange,
    clock: systemClock,
  });
}

/** Where the workspace has a value of its own the user's would change nothing. */
async function writeSetting(enabled: boolean): Promise<void> {
  const settings = vscode.workspace.getConfiguration('parley');
  const inWorkspace = settings.inspect('follow')?.workspaceValue !== undefined;
  const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update('follow', enabled, target);
}
