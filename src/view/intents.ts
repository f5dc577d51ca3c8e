import { assertNever } from '../base/assert';
import { messageOf } from '../base/errors';
import type { Log } from '../base/log';
import { shorten } from '../base/text';
import type { Attachment, AttachmentSource } from '../shared/attachments';
import type { PageMessage, ReviewIntent } from '../shared/messages';
import type { RememberScope } from '../shared/state';
import type { ViewSession, ViewSessions } from './ports';

/** What goes to the agent beside the words of a message. */
export interface AttachingTarget {
  /** Sends a message; what cannot be sent goes back to the page with a reason. */
  send(session: ViewSession, text: string, attachments: readonly Attachment[]): Promise<void>;
  /** Tells the page what goes with a query typed after `@`. @param id the page's number of it */
  find(id: number, query: string): Promise<void>;
  attachFrom(source: AttachmentSource): Promise<void>;
  attachUris(uris: readonly string[]): Promise<void>;
}

/** What the person can want beside what the session does itself. */
export interface IntentTargets {
  openLink(session: ViewSession, href: string): Promise<void>;
  /** @param line 1-based */
  openFile(session: ViewSession, path: string, line?: number): Promise<void>;
  openDiff(session: ViewSession, diffId: string): Promise<void>;
  stopCommand(session: ViewSession, terminalId: string): void;
  showTerminal(session: ViewSession, terminalId: string): void;
  toggleFollow(): Promise<void>;
  /** The Tools panel was opened or closed. */
  watchTools(open: boolean): void;
  switchTools(server: string, on: boolean): Promise<void>;
  refreshTools(): void;
  /** Keep, undo and look at changed files, and go back to checkpoints. */
  review(session: ViewSession, intent: ReviewIntent): Promise<void>;
  copy(text: string): Promise<void>;
  openSettings(): Promise<void>;
  /** Shows where the workspace is trusted or not. */
  manageTrust(): Promise<void>;
  showLog(): void;
  readonly attaching: AttachingTarget;
  /** Lists the agents of the registry. */
  installAgent(): Promise<void>;
  /** Takes an agent found on this machine into the list. */
  addAgent(name: string): Promise<void>;
  /** Opens the address of a question in the browser, and says yes to it. */
  openElicitation(session: ViewSession, elicitationId: string): Promise<void>;
  /** Lets an answer "always" reach this far. */
  remember(session: ViewSession, permissionId: string, scope: RememberScope): Promise<void>;
  /** Asks how to sign in. */
  signIn(session: ViewSession): Promise<void>;
}

/** What the page says about itself is for the sync; the rest is what the person wants. */
export type Intent = Exclude<PageMessage, { type: 'ready' | 'ack' }>;

/** Carries out what the person did in the page. */
export class Intents {
  readonly #sessions: ViewSessions;
  readonly #targets: IntentTargets;
  readonly #log: Log;

  constructor(sessions: ViewSessions, targets: IntentTargets, log: Log) {
    this.#sessions = sessions;
    this.#targets = targets;
    this.#log = log;
  }

  /** Never rejects: a failure is logged under the name of the intent. */
  async handle(intent: Intent): Promise<void> {
    try {
      await this.#route(intent);
    } catch (error) {
      this.#log.error('view', `"${intent.type}" failed: ${messageOf(error)}`, error);
    }
  }

  // oxlint-disable-next-line max-lines-per-function -- one case per intent, nothing else
  #route(intent: Intent): Promise<void> | void {
    const session = this.#sessions.active;
    const targets = this.#targets;
    switch (intent.type) {
      case 'send':
        return sendMessage(session, intent, targets);
      case 'findMentions':
        return targets.attaching.find(intent.id, intent.query);
      case 'attachFrom':
        return targets.attaching.attachFrom(intent.source);
      case 'attachUris':
        return targets.attaching.attachUris(intent.uris);
      case 'stop':
        return session.stop();
      case 'forceStop':
        return session.forceStop();
      case 'retry':
        return session.retry();
      case 'signIn':
        return intent.methodId === undefined ? targets.signIn(session) : session.auth.signIn(intent.methodId);
      case 'cancelSignIn':
        return session.auth.cancel();
      case 'answerElicitation':
        if (!session.elicitations.answer(intent.elicitationId, intent.answer)) {
          this.#log.warn('view', 'A form was answered that does not wait, or not as it was asked');
        }
        return;
      case 'openElicitation':
        return targets.openElicitation(session, intent.elicitationId);
      case 'restartAgent':
        return session.restart();
      case 'answerPermission':
        return session.answer(intent.permissionId, intent.optionId);
      case 'rememberPermission':
        return targets.remember(session, intent.permissionId, intent.scope);
      case 'chooseOption':
        return session.choose(intent.id, intent.value);
      case 'stopSubagent':
        return session.stopSubagent(intent.sessionId);
      case 'chooseAgent':
        return useAgent(this.#sessions, intent.name);
      case 'addAgent':
        return targets.addAgent(intent.name);
      case 'installAgent':
        return targets.installAgent();
      case 'newChat':
        this.#sessions.newChat();
        return;
      case 'openLink':
        return targets.openLink(session, intent.href);
      case 'openFile':
        return targets.openFile(session, intent.path, intent.line);
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
        return targets.review(session, intent);
      case 'toggleFollow':
        return targets.toggleFollow();
      case 'watchTools':
        return targets.watchTools(intent.open);
      case 'switchTools':
        return targets.switchTools(intent.server, intent.on);
      case 'refreshTools':
        return targets.refreshTools();
      case 'copy':
        return targets.copy(intent.text);
      case 'manageTrust':
        return targets.manageTrust();
      case 'openSettings':
        return targets.openSettings();
      case 'showLog':
        return targets.showLog();
      case 'pageError':
        return this.#log.error('view', `In the page: ${shorten(intent.message, 4_000)}`);
      default:
        return assertNever(intent);
    }
  }
}

function sendMessage(
  session: ViewSession,
  { text, attachments = [] }: Extract<Intent, { type: 'send' }>,
  { attaching }: IntentTargets,
): Promise<void> {
  return attachments.length === 0 ? session.send(text) : attaching.send(session, text, attachments);
}

/** Gives the shown chat to another agent; a chat that has begun stays with its agent, so a new one is opened. */
export async function useAgent(sessions: ViewSessions, name: string): Promise<void> {
  const { active } = sessions;
  if (
    active.state.agent?.name === name &&
    active.state.entries.count === 0 &&
    active.state.connection.status === 'ready'
  )
    return;
  if (active.state.entries.count === 0) await active.chooseAgent(name);
  else sessions.newChat(name);
}
