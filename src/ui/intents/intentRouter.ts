import { assertNever } from '../../base/assert';
import { ParleyError, isCancellation, errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Lazy } from '../../base/lazy';
import { truncate } from '../../base/text';
import type { EditAndResend } from '../../session/commands/editAndResend';
import type { Session } from '../../session/session';
import type { QueueIntent } from '../../shared/protocol/turnIntents';
import type { AgentInstaller } from '../agents/installAgent';
import type { Presets } from '../agents/presets';
import { useAgent } from '../agents/useAgent';
import type { ContentActions } from '../chat/content/contentActions';
import type { DiffDocuments } from '../chat/content/toolDiffDocuments';
import type { EditorActions } from '../editorActions/registerEditorActions';
import { UNASKED } from '../messages/parsePageMessage';
import { rejectAndExplain } from '../pendingRequests';
import { refuseDraft } from '../reportErrors';
import type { FolderCommands } from '../sessions/folderCommands';
import type {
  MessageAttachments,
  FollowToggle,
  Intent,
  IntentSource,
  Review,
  ShownLog,
  Terminals,
  ToolsPanelSource,
} from '../window';
import type { WorktreeUi } from '../worktrees/registerWorktrees';
import { handleBranch } from './branchIntents';
import type { EditorIntents } from './editorIntents';

/** What user actions need besides the session and the page. */
export interface IntentTargets {
  readonly attachments: MessageAttachments;
  readonly branches: Lazy<EditAndResend>;
  readonly diffs: DiffDocuments;
  readonly editor: EditorIntents;
  readonly editorActions: EditorActions;
  readonly entries: ContentActions;
  readonly folders: FolderCommands;
  readonly follow: FollowToggle;
  readonly installAgent: AgentInstaller;
  readonly log: ShownLog;
  readonly presets: Lazy<Presets>;
  readonly review: Review;
  readonly terminals: Terminals;
  readonly tools: ToolsPanelSource;
  readonly worktrees: WorktreeUi;
}

export class IntentRouter {
  constructor(private readonly targets: IntentTargets) {}

  /** Never rejects: failures are logged with the intent's type and shown to the user. */
  readonly handle = async (intent: Intent, from: IntentSource): Promise<void> => {
    try {
      await this.#route(intent, from);
    } catch (error) {
      if (isCancellation(error)) return;
      this.targets.log.error('ui', `Failed to handle "${intent.type}": ${errorMessage(error)}`, error);
      if (!UNASKED.has(intent.type)) await this.#showError(intent, from, error);
    }
  };

  #answerPermission(
    { userRequests }: Session,
    { permissionId, optionId }: Extract<Intent, { type: 'answerPermission' }>,
  ): void {
    if (userRequests.answer(permissionId, optionId)) return;
    this.targets.log.warn('ui', 'Ignored an answer to a permission request that is not pending or has no such option');
  }

  async #rejectAndExplain(
    session: Session,
    { permissionId, reason }: Extract<Intent, { type: 'rejectAndExplain' }>,
  ): Promise<void> {
    if (await rejectAndExplain(session, permissionId, reason)) return;
    this.targets.log.warn('ui', 'Ignored the rejection of a permission request that is not pending');
  }

  async #answerElicitation(
    { userRequests }: Session,
    { elicitationId, answer }: Extract<Intent, { type: 'answerElicitation' }>,
  ): Promise<void> {
    if (await userRequests.elicitations.answer(elicitationId, answer)) return;
    this.targets.log.warn('ui', 'Ignored an answer to a form that is not pending or does not match');
  }

  async #showError(intent: Intent, from: IntentSource, error: unknown): Promise<void> {
    try {
      await this.targets.editor.reportFailure(intent, from, error);
    } catch (worse) {
      this.targets.log.error('ui', `Failed to show the error: ${errorMessage(worse)}`, worse);
    }
  }

  // oxlint-disable-next-line max-lines-per-function -- one case per intent, nothing else
  #route(intent: Intent, from: IntentSource): Promise<void> | void {
    const { session, page } = from;
    const targets = this.targets;
    const { editor } = targets;
    switch (intent.type) {
      case 'send':
        return sendMessage(from, intent, targets);
      case 'composing':
        return session.warmStart.start();
      case 'typing':
        return targets.follow.noteTyping();
      case 'changeQueued':
      case 'moveQueued':
      case 'removeQueued':
      case 'sendQueued':
      case 'holdQueued':
      case 'resumeQueue':
      case 'answerBudget':
        return handleQueue(intent, from);
      case 'resend':
      case 'forkFrom':
        return targets.branches.load().then((branches) => handleBranch(branches, from, intent));
      case 'findMentions':
        return targets.attachments.find(from, intent.id, intent.query);
      case 'findCommands':
        return targets.attachments.findCommands(from);
      case 'attachFrom':
        return targets.attachments.attachFrom(from, intent.source);
      case 'attachUris':
        return targets.attachments.attachUris(from, intent.uris, intent.left);
      case 'stop':
        return session.turn.stop();
      case 'forceStop':
        return session.restarter.forceStop();
      case 'retry':
        return session.retry();
      case 'retryLater':
        return session.limitRetry.schedule(intent.entry);
      case 'cancelRetry':
        return session.limitRetry.cancel();
      case 'signIn':
        return intent.methodId === undefined ? editor.signIn(session) : session.auth.signIn(intent.methodId);
      case 'cancelSignIn':
        return session.auth.cancel();
      case 'answerElicitation':
        return this.#answerElicitation(session, intent);
      case 'openElicitation':
        return editor.openElicitation(session, intent.elicitationId);
      case 'restartAgent':
        return session.restart();
      case 'answerPermission':
        return this.#answerPermission(session, intent);
      case 'rejectAndExplain':
        return this.#rejectAndExplain(session, intent);
      case 'editPlan':
        return editor.editPlan(session, intent.permissionId);
      case 'rememberPermission':
        return editor.remember(session, intent.permissionId, intent.scope);
      case 'rememberRule':
        return editor.rememberRule(session, intent.permissionId);
      case 'chooseOption':
        return session.configOptions.choose(intent.id, intent.value);
      case 'stopSubagent':
        return session.stopSubagent(intent.sessionId);
      case 'chooseAgent':
        return useAgent(session, intent.name, (name) => page.newChat(name));
      case 'choosePreset':
        return targets.presets.load().then((presets) => presets.choose(intent.name, session));
      case 'chooseFolder':
        return targets.folders.choose(from, intent.folder);
      case 'addAgent':
        return targets.installAgent.add(intent.name);
      case 'installAgent':
        return targets.installAgent.show();
      case 'continueInNewChat':
        return editor.continueInNewChat(session);
      case 'openSession':
        return editor.openSession(intent.id);
      case 'openLink':
        return editor.openLink(session, intent.href);
      case 'openFile':
        return editor.openFile(session, intent.path, intent);
      case 'openDiff':
        return targets.diffs.open(session, intent.diffId);
      case 'stopCommand':
        return targets.terminals.stop(intent.terminalId);
      case 'showTerminal':
        return editor.showTerminal(session, intent.terminalId);
      case 'reviewChanges':
      case 'keepAll':
      case 'undoAll':
      case 'keepFile':
      case 'undoFile':
      case 'openChange':
      case 'keepDiff':
      case 'undoDiff':
      case 'restoreCheckpoint':
      case 'undoRestore':
      case 'reviewTurn':
        return targets.review.handle(session, intent);
      case 'findPlaces':
      case 'insertCode':
      case 'applyCode':
      case 'openCode':
      case 'showDiagram':
      case 'openData':
      case 'saveData':
        return targets.entries.handle(from, intent);
      case 'toggleFollow':
        return targets.follow.toggle();
      case 'watchTools':
        return page.watchTools(intent.open);
      case 'watchRace':
      case 'actOnAttempt':
        return targets.worktrees.race(from, intent);
      case 'switchTools':
      case 'switchTool':
      case 'decideTool':
      case 'setUpServer':
      case 'signInServer':
      case 'signOutServer':
        return targets.tools.handle(intent);
      case 'refreshTools':
        return targets.tools.refresh();
      case 'copy':
        return editor.copy(intent.text);
      case 'manageTrust':
        return editor.manageTrust();
      case 'openWalkthrough':
      case 'showNews':
      case 'dismissNews':
        return targets.editorActions.welcome(intent);
      case 'openSettings':
        return editor.openSettings();
      case 'showLog':
        return targets.log.show();
      case 'pageError':
        return this.targets.log.error('ui', `Chat page failed: ${truncate(intent.message, 4_000)}`);
      default:
        return assertNever(intent);
    }
  }
}

function sendMessage(
  from: IntentSource,
  { text, attachments = [], now = false, to }: Extract<Intent, { type: 'send' }>,
  targets: IntentTargets,
): Promise<void> {
  // A race has agents of its own.
  if (from.session.needsAgent && to !== 'race') {
    refuseDraft(from, text, attachments, new ParleyError('agentNotFound', t('Select an agent first')));
    return targets.editor.selectAgent();
  }
  if (to !== undefined) return targets.worktrees.send(from, to, text, attachments);
  // A prompt of a server may need arguments.
  return attachments.length === 0 && !text.trimStart().startsWith('/')
    ? from.session.send(text, [], { now })
    : targets.attachments.send(from, text, attachments, now);
}

function handleQueue(intent: QueueIntent, from: IntentSource): Promise<void> | void {
  const { queue } = from.session;
  switch (intent.type) {
    case 'changeQueued':
      return changeQueued(intent, from);
    case 'moveQueued':
      return queue.move(intent.id, intent.to);
    case 'removeQueued':
      return queue.remove(intent.id);
    case 'sendQueued':
      return queue.sendNow(intent.id);
    case 'holdQueued':
      return queue.hold(intent.id, from.page);
    case 'resumeQueue':
      return queue.resume();
    case 'answerBudget':
      return queue.answerBudget(intent.continues);
    default:
      return assertNever(intent);
  }
}

/** A change that came too late goes into the message box. */
function changeQueued(
  { id, text, attachments = [] }: Extract<QueueIntent, { type: 'changeQueued' }>,
  { session, page }: IntentSource,
): void {
  if (session.queue.change(id, text, attachments)) return;
  const reason = t('The original message was sent before your edit. The edited version is in the message box.');
  page.post({ type: 'sendRefused', session: session.id, text, attachments, reason });
}
