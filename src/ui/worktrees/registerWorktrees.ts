import type * as vscode from 'vscode';
import { ParleyError } from '../../base/errors';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { firstLine } from '../../base/text';
import type { Session } from '../../session/session';
import type { RaceIntent } from '../../shared/protocol/racePageProtocol';
import type { SendTarget } from '../../shared/protocol/turnIntents';
import type { Attachment } from '../../shared/state/attachments';
import { entryAt } from '../../shared/state/entryPages';
import type { SessionState } from '../../shared/state/sessionState';
import type { Worktrees } from '../../worktrees/worktrees';
import type { IntentSource, Window } from '../window';
import { registerWorktreeContextKey } from './worktreeContextKey';
import { registerWorktreeDecorations } from './worktreeDecorations';
import type { WorktreeSetup } from './worktreeSetup';

export interface WorktreeUi extends Disposable {
  /** By their names in `src/commands.ts`. Each takes the argument of its menu: a session, a file, or the Send button. */
  readonly commands: Readonly<Record<WorktreeCommand, (target?: unknown) => Promise<void>>>;
  /** Restores the board of races in its tab after a reload. */
  readonly raceBoard: vscode.WebviewPanelSerializer;
  /** Sends a draft in a new worktree, or to several agents. */
  send(from: IntentSource, to: SendTarget, text: string, attachments: readonly Attachment[]): Promise<void>;
  /** Shows the race of a session in its page, or acts on an attempt of it. */
  race(from: IntentSource, intent: RaceIntent): Promise<void>;
  /**
   * Settles when the agent may start: names the branch after the first message, and waits for the setup.
   * @throws ParleyError while another window has the worktree
   */
  beforePrompt(session: Session, entry: number): Promise<void>;
}

type WorktreeCommand =
  | 'newChat'
  | 'discard'
  | 'cleanUp'
  | 'openInNewWindow'
  | 'race'
  | 'showRaces'
  | 'compare'
  | 'takeAll'
  | 'takeFile'
  | 'takeHunk';

/** Loads the code of the commands on first use. */
export function registerWorktrees(window: Window): WorktreeUi {
  const { worktrees, chat } = window;
  const store = new DisposableStore();
  const parts = new Lazy(async () => (await import('./createWorktreeServices')).createWorktreeServices(window, store));
  claimWorktrees(window, store);
  store.add(registerWorktreeContextKey(worktrees));
  store.add(registerWorktreeDecorations(worktrees));
  const orSend =
    (to: SendTarget, run: (target?: unknown) => Promise<void>) =>
    async (target?: unknown): Promise<void> =>
      isObject(target) && target['webviewSection'] === 'send' ? chat.sendDraft(to) : run(target);
  return {
    commands: {
      newChat: orSend('worktree', async () => (await parts.load()).chats.newChat()),
      race: orSend('race', async (text) => (await parts.load()).races.start(text)),
      discard: async (target) => (await parts.load()).actions.discard(target),
      cleanUp: async () => (await parts.load()).cleaning.run(),
      openInNewWindow: async (target) => (await parts.load()).actions.openInNewWindow(target),
      showRaces: async () => (await parts.load()).board.show(),
      compare: async (target) => (await parts.load()).actions.compare(target),
      takeAll: async (target) => (await parts.load()).actions.takeAll(target),
      takeFile: async (target) => (await parts.load()).actions.takeFile(target),
      takeHunk: async (target) => (await parts.load()).actions.takeHunk(target),
    },
    raceBoard: { deserializeWebviewPanel: async (panel) => (await parts.load()).board.restore(panel) },
    send: async (from, to, ...draft) => {
      const { chats, races } = await parts.load();
      return to === 'race' ? races.send(from, ...draft) : chats.send(from, ...draft);
    },
    race: async (from, intent) => (await parts.load()).chatRaces.handle(from, intent),
    beforePrompt: async (session, entry) => {
      await prepareWorktree(worktrees, session, entry);
      if (parts.value) await waitForSetup(parts.value.setup, session);
    },
    dispose: () => store.dispose(),
  };
}

/** @throws ParleyError while another window has the worktree */
async function prepareWorktree(worktrees: Worktrees, session: Session, entry: number): Promise<void> {
  const nextStep = t('Send the message there, or close that window.');
  if (!worktrees.reserve(session.cwd))
    throw new ParleyError('conflict', t('Another window is using this worktree'), { nextStep });
  if (entry === 0) await renameBranch(worktrees, session);
}

/** Prevents other windows from working in the worktrees of open sessions, and from removing them. */
function claimWorktrees({ worktrees, sessions }: Window, store: DisposableStore): void {
  for (const { cwd } of sessions.allOpen()) worktrees.reserve(cwd);
  for (const opened of [sessions.onDidChange, sessions.onDidChangeActive, sessions.onDidChangeInView])
    store.add(opened(({ cwd }) => worktrees.reserve(cwd)));
}

async function waitForSetup(setup: WorktreeSetup, session: Session): Promise<void> {
  if (!setup.isRunning(session.cwd)) return;
  session.dispatch({
    type: 'noticeShown',
    severity: 'info',
    title: t('Setting up the worktree'),
    text: t('The message will be sent after the “parley.worktrees.setup” commands have finished.'),
    at: Date.now(),
  });
  await setup.ready(session.cwd);
}

/** Names the branch after the first message. */
async function renameBranch(worktrees: Worktrees, session: Session): Promise<void> {
  const record = worktrees.around(session.cwd);
  if (!record) return;
  await worktrees.renameBranch(record.id, promptText(session.state, 0));
  const branch = worktrees.get(record.id)?.branch;
  if (branch !== undefined && branch !== session.state.branch) session.dispatch({ type: 'branchRenamed', branch });
}

function promptText({ entries }: SessionState, entry: number): string {
  const prompt = entryAt(entries, entry);
  return prompt?.kind === 'user' ? firstLine(prompt.text) : '';
}
