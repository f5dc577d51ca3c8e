import * as vscode from 'vscode';
import { Lazy } from '../base/lazy';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Memento } from '../base/memento';
import type { PlainSettingsReader } from '../base/settings';
import type { FileRestoreOutcome } from '../session/commands/editAndResend';
import type { Session } from '../session/session';
import type { Sessions } from '../session/sessions';
import type { ReviewIntent } from '../shared/protocol/chatPageProtocol';
import { ContextKeys } from '../workbench/contextKeys';
import type { ChangeReview } from './changeReview';
import type { WorkspaceCheckpoints } from './checkpoints/workspaceCheckpoints';
import { AgentComments } from './comments/agentComments';
import { CommentCodeLenses } from './comments/commentCodeLenses';
import { commentLocation } from './comments/commentLocation';
import { BaselineFiles, reviewedPath } from './editor/baselineFiles';
import { offerInterrupted } from './editor/offerInterrupted';
import { MultiFileReview, showsAllChanges } from './editor/openReviewDiff';
import { ReviewCodeLenses } from './editor/reviewCodeLenses';
import type { ReviewChat, ReviewCommands } from './editor/reviewCommands';
import { ReviewDecorations } from './editor/reviewDecorations';
import type { ReviewService } from './reviewService';

type CommandName = keyof ReviewCommands['commands'];

const COMMANDS = [
  'reviewChanges',
  'keepAllChanges',
  'undoAllChanges',
  'keepShownChanges',
  'undoShownChanges',
  'keepHunk',
  'undoHunk',
  'keepFile',
  'undoFile',
  'openChange',
  'nextChange',
  'previousChange',
  'undoLastReview',
  'restoreCheckpoint',
] as const satisfies readonly CommandName[];

/** The commands of the review, whose code is loaded with the first one. */
export interface ReviewEditor extends Disposable {
  readonly commands: Readonly<Record<(typeof COMMANDS)[number], (target?: unknown) => Promise<void>>>;
  readonly comments: AgentComments;
  readonly baselines: BaselineFiles;
  /** Does what the user asks for in the chat. */
  readonly handle: (session: Session, intent: ReviewIntent) => Promise<void>;
  /**
   * Restores files to the state before a message that is sent again. Never rejects.
   * @param entry index of the message
   */
  readonly filesBefore: (session: Session, entry: number) => Promise<FileRestoreOutcome>;
  /** As {@link WorkspaceCheckpoints.around}; without a checkpoint where the user has disabled them. */
  readonly withCheckpoint: (sessionId: string, change: () => Promise<void>) => Promise<string | undefined>;
}

/**
 * Creates decorations, code lenses, diffs, comments and commands of the review.
 * @param memory keeps unsent comments; undefined where other windows use the same
 */
export function registerReviewEditor(
  { review, checkpoints, scopes }: ReviewService,
  sessions: Sessions,
  settings: PlainSettingsReader<'review.enabled' | 'checkpoints.enabled'>,
  chat: ReviewChat,
  memory: Memento | undefined,
): ReviewEditor {
  const store = new DisposableStore();
  const restore = new Lazy(async () => {
    const { RestoreCheckpoint } = await import('./editor/restoreCheckpoint');
    return new RestoreCheckpoint(checkpoints, () => settings.get('checkpoints.enabled'), chat.showNotice);
  });
  store.add(offerInterrupted(checkpoints, restore));
  const baselines = store.add(new BaselineFiles(review));
  store.add(new ReviewDecorations(review, baselines, settings));
  store.add(new ReviewCodeLenses(review, baselines, settings));
  const multiFile = store.add(new MultiFileReview(review));
  store.add(new ReviewContextKeys(review, multiFile));
  const loaded = new Lazy(async () => {
    const { ReviewCommands: Loaded } = await import('./editor/reviewCommands');
    return new Loaded(review, scopes, multiFile, restore, sessions, chat);
  });
  const comments = store.add(new AgentComments((target) => commentLocation(review, target), chat, sessions, memory));
  store.add(new CommentCodeLenses(comments));
  const withCheckpoint: WorkspaceCheckpoints['around'] = (id, change) =>
    settings.get('checkpoints.enabled') ? checkpoints.around(id, change) : change().then(() => undefined);
  return {
    commands: commandsOf(loaded),
    handle: async (session, intent) => (await loaded.load()).handle(session, intent),
    filesBefore: async (session, entry) => (await loaded.load()).filesBefore(session, entry),
    comments,
    baselines,
    withCheckpoint,
    dispose: () => store.dispose(),
  };
}

function commandsOf(loaded: Lazy<ReviewCommands>): ReviewEditor['commands'] {
  const handlers = COMMANDS.map((name) => [
    name,
    async (target?: unknown): Promise<void> => (await loaded.load()).commands[name](target),
  ]);
  return Object.fromEntries(handlers) as ReviewEditor['commands'];
}

/**
 * Updates the context keys `parley.hasChanges` and, for the active editor, `parley.inReview` and `parley.inAllChanges`: a multi-file diff
 * editor whose files are known.
 */
class ReviewContextKeys implements Disposable {
  readonly #store = new DisposableStore();
  readonly #contextKeys = new ContextKeys();

  constructor(
    private readonly review: ChangeReview,
    private readonly multiFile: MultiFileReview,
  ) {
    this.#store.add(review.onDidChange(() => this.#update()));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(() => this.#update()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs(() => this.#update()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabGroups(() => this.#update()));
    this.#update();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #update(): void {
    const editor = vscode.window.activeTextEditor;
    const path = editor && reviewedPath(editor.document.uri);
    this.#contextKeys.set('parley.hasChanges', this.review.files().length > 0);
    this.#contextKeys.set('parley.inReview', path !== undefined && this.review.file(path) !== undefined);
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    const isShown = this.multiFile.shown !== undefined;
    this.#contextKeys.set('parley.inAllChanges', isShown && activeTab !== undefined && showsAllChanges(activeTab));
  }
}
