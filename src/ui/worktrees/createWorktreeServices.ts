import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { DisposableStore, Disposable } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import type { RaceIntent } from '../../shared/protocol/racePageProtocol';
import { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import type { Worktrees } from '../../worktrees/worktrees';
import type { AttachmentService } from '../attachments/attachmentService';
import type { ChatPages } from '../chat/chatPages';
import type { UiDeps } from '../uiDeps';
import type { IntentPage, IntentSource } from '../uiTypes';
import { RaceBoard } from './raceBoard';
import { RaceCommands } from './raceCommands';
import { RaceFeed } from './raceFeed';
import { TakeChanges } from './takeChanges';
import { WorktreeActions } from './worktreeActions';
import { WorktreeCommands } from './worktreeCommands';
import { WorktreeSetup } from './worktreeSetup';

interface WorktreeServices {
  readonly setup: WorktreeSetup;
  readonly commands: WorktreeCommands;
  readonly races: RaceCommands;
  readonly actions: WorktreeActions;
  readonly board: RaceBoard;
  readonly chatRaces: ChatRaces;
}

export function createWorktreeServices(
  options: UiDeps,
  store: DisposableStore,
  chat: ChatPages,
  attachmentService: Pick<AttachmentService, 'read'>,
): WorktreeServices {
  const { worktrees, sessions, catalog, settings, approvals, log } = options;
  const setup = new WorktreeSetup({
    settings,
    approvals,
    documents: store.add(new ReadOnlyDocuments('parley-worktree')),
    log,
    run: runSetupTask,
    recordResults: async (folder) => {
      const record = worktrees.around(folder);
      if (record) await worktrees.recordSetup(record.id);
    },
    report: (text) => chat.notices.show({ text, isWarning: true }),
  });
  const shared = { worktrees, sessions, setup, settings, attachmentService };
  const commands = new WorktreeCommands({ ...shared, chat });
  const open = (id: string): Session | undefined => sessions.allOpen().find((session) => session.id === id);
  const take = new TakeChanges({
    worktrees,
    edit: options.edit,
    showNotice: chat.notices.show,
    withCheckpoint: options.review.withCheckpoint,
    review: async (id, intent) => {
      const session = open(id) ?? (await sessions.open.load(id));
      if (session) await options.review.handle(session, intent);
    },
  });
  const actions = new WorktreeActions(worktrees, commands, take);
  const feed = store.add(new RaceFeed(worktrees, catalog, sessions));
  const board = store.add(new RaceBoard(options.extensionUri, worktrees, feed, actions.onAttempt, log));
  const chatRaces = store.add(new ChatRaces(worktrees, feed, chat, board));
  const races = new RaceCommands({ ...shared, commands, board });
  return { setup, commands, races, actions, board, chatRaces };
}

/** Runs a command as a task, whose terminal stays open. Undefined when the user or the signal ended it. */
async function runSetupTask(command: string, folder: string, signal: AbortSignal): Promise<number | undefined> {
  const execution = new vscode.ShellExecution(command, { cwd: folder });
  const task = new vscode.Task(
    { type: 'parley' },
    vscode.TaskScope.Workspace,
    t('Worktree Setup'),
    'Parley',
    execution,
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Silent, panel: vscode.TaskPanelKind.Dedicated };
  const codes = new Map<vscode.TaskExecution, number | undefined>();
  let onEnd: () => void = () => undefined;
  const ends = [
    vscode.tasks.onDidEndTaskProcess(({ execution: ended, exitCode }) => codes.set(ended, exitCode)),
    vscode.tasks.onDidEndTask(({ execution: ended }) => {
      if (!codes.has(ended)) codes.set(ended, undefined);
      onEnd();
    }),
  ];
  try {
    const started = await vscode.tasks.executeTask(task);
    signal.addEventListener('abort', () => started.terminate());
    if (signal.aborted) started.terminate();
    await new Promise<void>((resolve) => {
      onEnd = () => codes.has(started) && resolve();
      onEnd();
    });
    return codes.get(started);
  } finally {
    for (const end of ends) end.dispose();
  }
}

/** Keeps the race of the session current in the chat pages that asked for it. */
export class ChatRaces implements Disposable {
  readonly #subscription: Disposable;
  /** The last message to each page, as JSON. */
  readonly #lastPosted = new WeakMap<IntentPage, string>();

  constructor(
    private readonly worktrees: Pick<Worktrees, 'around'>,
    private readonly feed: RaceFeed,
    private readonly chat: Pick<ChatPages, 'view' | 'tabs'>,
    private readonly board: Pick<RaceBoard, 'act'>,
  ) {
    this.#subscription = feed.onDidChange(() => this.#update());
  }

  /** Acts on an attempt, or shows the race in a page that has no race yet. */
  async handle(source: IntentSource, intent: RaceIntent): Promise<void> {
    if (intent.type === 'actOnAttempt') return this.board.act(intent.action, intent.attempt);
    this.#lastPosted.delete(source.page);
    return this.#postRaces(source);
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #update(): void {
    for (const { isVisible, page } of [this.chat.view, ...this.chat.tabs.all()]) {
      if (isVisible && this.#lastPosted.has(page)) this.#postRaces({ session: page.session, page });
    }
  }

  #postRaces({ session, page }: IntentSource): void {
    const id = this.worktrees.around(session.cwd)?.race?.id;
    const race = id === undefined ? undefined : this.feed.races().find((each) => each.id === id);
    const message = { type: 'race', session: session.id, ...(race && { race }) } as const;
    const text = JSON.stringify(message);
    if (text === this.#lastPosted.get(page)) return;
    this.#lastPosted.set(page, text);
    page.post(message);
  }
}
