import type { Attachment } from '../../../shared/protocol/attachments';
import type { SendTarget } from '../../../shared/protocol/turnIntents';
import { assertNever } from '../../../base/assert';
import { isCancellation, errorMessage } from '../../../base/errors';
import { t } from '../../../base/l10n';
import type { Logger } from '../../../base/logger';
import { truncate } from '../../../base/text';
import type { AttachmentService } from '../../attachments/attachmentService';
import type {
  ContentIntent,
  ReviewIntent,
  SessionMessage,
  WelcomeIntent,
} from '../../../shared/protocol/chatPageProtocol';
import type { RaceIntent } from '../../../shared/protocol/racePageProtocol';
import type { RememberScope } from '../../../shared/state/toolCallState';
import type { ToolsIntent } from '../../../shared/protocol/toolsPanelState';
import type { BranchIntent, QueueIntent } from '../../../shared/protocol/turnIntents';
import type { IntentSource, UiSession } from '../../uiTypes';

/** Handlers of user actions that the session does not handle itself. */
export interface IntentHandlers {
  openLink(session: UiSession, href: string): Promise<void>;
  /** `line` and `lastLine` are 1-based. */
  openFile(session: UiSession, path: string, lines: { line?: number; lastLine?: number }): Promise<void>;
  openDiff(session: UiSession, diffId: string): Promise<void>;
  stopCommand(session: UiSession, terminalId: string): void;
  showTerminal(session: UiSession, terminalId: string): void | Promise<void>;
  toggleFollow(): Promise<void>;
  /** Switches, decisions and sign-ins of the Tools panel. */
  tools(intent: ToolsIntent): Promise<void>;
  refreshTools(): void;
  /** Keep, Undo, diffs and checkpoints. */
  review(session: UiSession, intent: ReviewIntent): Promise<void>;
  /** Edits, resends and forks at an earlier message. */
  branch(from: IntentSource, intent: BranchIntent): Promise<void>;
  /** Code blocks, media and file references. */
  entries(from: IntentSource, intent: ContentIntent): Promise<void>;
  copy(text: string): Promise<void>;
  openSettings(): Promise<void>;
  welcome(intent: WelcomeIntent): Promise<void>;
  /** Opens the workspace trust editor. */
  manageTrust(): Promise<void>;
  showLog(): void;
  readonly attaching: Pick<AttachmentService, 'send' | 'find' | 'attachFrom' | 'attachUris'>;
  /** Sets the session's folder; without a path the user selects it. */
  chooseFolder(from: IntentSource, folder: string | undefined): Promise<void>;
  /** Starts another session with the draft. */
  sendElsewhere(from: IntentSource, to: SendTarget, text: string, attachments: readonly Attachment[]): Promise<void>;
  /** Shows the race of the session in its page, or acts on an attempt of it. */
  race(from: IntentSource, intent: RaceIntent): Promise<void>;
  installAgent(): Promise<void>;
  /** Adds an agent found on this machine. */
  addAgent(name: string): Promise<void>;
  /** Opens the URL of an elicitation in the browser, and accepts it. */
  openElicitation(session: UiSession, elicitationId: string): Promise<void>;
  /** Opens the plan of a pending request as a document. */
  editPlan(session: UiSession, permissionId: string): Promise<void>;
  /** Stores an "always" rule with this scope. */
  remember(session: UiSession, permissionId: string, scope: RememberScope): Promise<void>;
  rememberRule(session: UiSession, permissionId: string): Promise<void>;
  continueInNewChat(session: UiSession): Promise<void>;
  /** @param id Parley's id */
  openSession(id: string): Promise<void>;
  signIn(session: UiSession): Promise<void>;
  failed(intent: Intent, from: IntentSource, error: unknown): Promise<void>;
}

/** User actions, without the messages about the page itself. */
export type Intent = Exclude<SessionMessage, { type: 'draft' | 'pressNotice' | 'dismissNotice' }>;

/** Messages that the page sends automatically, so that no user waits for a result. */
const UNASKED: ReadonlySet<Intent['type']> = new Set([
  'findMentions',
  'findPlaces',
  'holdQueued',
  'composing',
  'watchTools',
  'watchRace',
  'pageError',
]);

export class IntentRouter {
  readonly #targets: IntentHandlers;
  readonly #log: Logger;

  constructor(targets: IntentHandlers, log: Logger) {
    this.#targets = targets;
    this.#log = log;
  }

  /** Never rejects: failures are logged with the intent's type and shown to the user. */
  readonly handle = async (intent: Intent, from: IntentSource): Promise<void> => {
    try {
      await this.#route(intent, from);
    } catch (error) {
      if (isCancellation(error)) return;
      this.#log.error('view', `"${intent.type}" failed: ${errorMessage(error)}`, error);
      if (!UNASKED.has(intent.type)) await this.#showError(intent, from, error);
    }
  };

  async #showError(intent: Intent, from: IntentSource, error: unknown): Promise<void> {
    try {
      await this.#targets.failed(intent, from, error);
    } catch (worse) {
      this.#log.error('view', `Failed to show the error: ${errorMessage(worse)}`, worse);
    }
  }

  // oxlint-disable-next-line max-lines-per-function -- one case per intent, nothing else
  #route(intent: Intent, from: IntentSource): Promise<void> | void {
    const { session, page } = from;
    const targets = this.#targets;
    switch (intent.type) {
      case 'send':
        return sendMessage(from, intent, targets);
      case 'composing':
        return session.warmStart.start();
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
        return targets.branch(from, intent);
      case 'findMentions':
        return targets.attaching.find(from, intent.id, intent.query);
      case 'attachFrom':
        return targets.attaching.attachFrom(from, intent.source);
      case 'attachUris':
        return targets.attaching.attachUris(from, intent.uris);
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
        return intent.methodId === undefined ? targets.signIn(session) : session.auth.signIn(intent.methodId);
      case 'cancelSignIn':
        return session.auth.cancel();
      case 'answerElicitation':
        if (!session.userRequests.elicitations.answer(intent.elicitationId, intent.answer)) {
          this.#log.warn('view', 'Ignored an answer to a form that is not pending or does not match');
        }
        return;
      case 'openElicitation':
        return targets.openElicitation(session, intent.elicitationId);
      case 'restartAgent':
        return session.restart();
      case 'answerPermission':
        return session.userRequests.answer(intent.permissionId, intent.optionId);
      case 'editPlan':
        return targets.editPlan(session, intent.permissionId);
      case 'rememberPermission':
        return targets.remember(session, intent.permissionId, intent.scope);
      case 'rememberRule':
        return targets.rememberRule(session, intent.permissionId);
      case 'chooseOption':
        return session.configOptions.choose(intent.id, intent.value);
      case 'stopSubagent':
        return session.stopSubagent(intent.sessionId);
      case 'chooseAgent':
        return useAgent(session, intent.name, (name) => page.newChat(name));
      case 'chooseFolder':
        return targets.chooseFolder(from, intent.folder);
      case 'addAgent':
        return targets.addAgent(intent.name);
      case 'installAgent':
        return targets.installAgent();
      case 'continueInNewChat':
        return targets.continueInNewChat(session);
      case 'openSession':
        return targets.openSession(intent.id);
      case 'openLink':
        return targets.openLink(session, intent.href);
      case 'openFile':
        return targets.openFile(session, intent.path, intent);
      case 'openDiff':
        return targets.openDiff(session, intent.diffId);
      case 'stopCommand':
        return targets.stopCommand(session, intent.terminalId);
      case 'showTerminal':
        return targets.showTerminal(session, intent.terminalId);
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
        return targets.review(session, intent);
      case 'findPlaces':
      case 'insertCode':
      case 'applyCode':
      case 'openCode':
      case 'openData':
      case 'saveData':
        return targets.entries(from, intent);
      case 'toggleFollow':
        return targets.toggleFollow();
      case 'watchTools':
        return page.watchTools(intent.open);
      case 'watchRace':
      case 'actOnAttempt':
        return targets.race(from, intent);
      case 'switchTools':
      case 'switchTool':
      case 'decideTool':
      case 'setUpServer':
      case 'signInServer':
      case 'signOutServer':
        return targets.tools(intent);
      case 'refreshTools':
        return targets.refreshTools();
      case 'copy':
        return targets.copy(intent.text);
      case 'manageTrust':
        return targets.manageTrust();
      case 'openWalkthrough':
      case 'showNews':
      case 'dismissNews':
        return targets.welcome(intent);
      case 'openSettings':
        return targets.openSettings();
      case 'showLog':
        return targets.showLog();
      case 'pageError':
        return this.#log.error('view', `In the page: ${truncate(intent.message, 4_000)}`);
      default:
        return assertNever(intent);
    }
  }
}

function sendMessage(
  from: IntentSource,
  { text, attachments = [], now = false, to }: Extract<Intent, { type: 'send' }>,
  targets: IntentHandlers,
): Promise<void> {
  if (to !== undefined) return targets.sendElsewhere(from, to, text, attachments);
  return attachments.length === 0
    ? from.session.send(text, [], { now })
    : targets.attaching.send(from, text, attachments, now);
}

/** Sets a chat's agent; a chat with messages keeps its agent, so a new one is opened. */
export async function useAgent(session: UiSession, name: string, newChat: (name: string) => unknown): Promise<void> {
  const { agent, entries, connection } = session.state;
  if (agent?.name === name && entries.count === 0 && connection.status === 'ready') return;
  if (entries.count === 0) await session.chooseAgent(name);
  else newChat(name);
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
