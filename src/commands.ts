import type { Disposable } from './base/lifecycle';
import { DisposableStore } from './base/lifecycle';
import type { PermissionKind } from './shared/state';

/** What the commands act on. */
export interface CommandTargets {
  readonly chat: { focus(): Promise<void> };
  readonly sessions: {
    readonly active: { stop(): void; forceStop(): Promise<void>; restart(): Promise<void> };
    newChat(): unknown;
  };
  readonly inbox: {
    show(): Promise<void>;
    answerBy(kinds: readonly PermissionKind[]): Promise<void>;
  };
  readonly policyView: { readonly showAuditLog: () => void; readonly manageRules: () => Promise<void> };
  readonly selectAgent: () => Promise<void>;
  readonly installAgent: () => Promise<void>;
  readonly signIn: () => Promise<void>;
  readonly signOut: () => Promise<void>;
  readonly forgetSecrets: () => Promise<void>;
  readonly showLog: () => void;
  readonly showTools: () => Promise<void>;
  readonly refreshTools: () => void;
  readonly addSelection: () => Promise<void>;
  readonly toggleFollow: () => Promise<void>;
  /** Each takes what a lens or a menu gives it: the change or the file that is meant. */
  readonly review: Readonly<
    Record<
      | 'reviewChanges'
      | 'keepAllChanges'
      | 'undoAllChanges'
      | 'keepHunk'
      | 'undoHunk'
      | 'keepFile'
      | 'undoFile'
      | 'openChange'
      | 'nextChange'
      | 'previousChange'
      | 'undoLastReview'
      | 'commentToAgent'
      | 'restoreCheckpoint',
      (target?: unknown) => Promise<void>
    >
  >;
  /** Each takes what the menu, lens or quick fix that it stands in hands over. */
  readonly surfaceCommands: Readonly<
    Record<
      | 'fixWithAgent'
      | 'explain'
      | 'addToChat'
      | 'addChanges'
      | 'addTerminal'
      | 'addProblems'
      | 'writeCommitMessage'
      | 'showNews'
      | 'openWalkthrough',
      (...given: unknown[]) => Promise<void>
    >
  >;
  readonly gateway: { start(): Promise<void>; stop(): Promise<void> };
  readonly traffic: { show(): void; save(): Promise<void>; replay(): Promise<void> };
  /** Each takes what a menu or a caller gives it: the session that is meant. */
  /** Each takes the session that is meant, else it is the one the person is in. */
  readonly placeCommands: Readonly<
    Record<'open' | 'openInEditor' | 'openToSide' | 'openInView', (target?: unknown) => Promise<void>> &
      Record<'newChatInEditor' | 'nextSession' | 'previousSession', () => Promise<void>>
  >;
  readonly sessionTree: { filter(): Promise<void>; clearFilter(): void };
  /** Each takes the session or the entry that is meant. */
  readonly history: Readonly<
    Record<
      | 'search'
      | 'exportSession'
      | 'openAsDocument'
      | 'importSession'
      | 'copyEntry'
      | 'copyTurn'
      | 'copyConversation'
      | 'continueInNewChat',
      (target?: unknown) => Promise<void>
    >
  >;
  readonly sessionCommands: Readonly<
    Record<'rename' | 'archive' | 'unarchive' | 'delete' | 'fork' | 'refresh', (target?: unknown) => Promise<void>>
  >;
}

export type CommandTable = Readonly<Record<`parley.${string}`, (target?: unknown, ...more: unknown[]) => unknown>>;

/** Every command of Parley with what it does. A test compares the ids with package.json. */
export function commandTable(targets: CommandTargets): CommandTable {
  const { chat, sessions, inbox, selectAgent, installAgent, signIn, signOut, forgetSecrets, showLog } = targets;
  return {
    'parley.newChat': async () => {
      sessions.newChat();
      await chat.focus();
    },
    'parley.focusChat': () => chat.focus(),
    'parley.stop': () => sessions.active.stop(),
    'parley.forceStop': () => sessions.active.forceStop(),
    'parley.selectAgent': () => selectAgent(),
    'parley.installAgent': () => installAgent(),
    'parley.restartAgent': () => sessions.active.restart(),
    'parley.signIn': () => signIn(),
    'parley.signOut': () => signOut(),
    'parley.forgetSecrets': () => forgetSecrets(),
    'parley.approve': () => inbox.answerBy(['allow_once']),
    'parley.approveAlways': () => inbox.answerBy(['allow_always']),
    'parley.reject': () => inbox.answerBy(['reject_once', 'reject_always']),
    'parley.showWaiting': () => inbox.show(),
    'parley.manageRules': () => targets.policyView.manageRules(),
    'parley.showAuditLog': () => targets.policyView.showAuditLog(),
    'parley.showLog': () => showLog(),
    'parley.showTools': () => targets.showTools(),
    'parley.refreshTools': () => targets.refreshTools(),
    'parley.addSelection': () => targets.addSelection(),
    'parley.toggleFollow': () => targets.toggleFollow(),
    'parley.startA2aGateway': () => targets.gateway.start(),
    'parley.stopA2aGateway': () => targets.gateway.stop(),
    'parley.showTraffic': () => targets.traffic.show(),
    'parley.saveTraffic': () => targets.traffic.save(),
    'parley.replayTraffic': () => targets.traffic.replay(),
    ...surfaceTable(targets.surfaceCommands),
    ...sessionTable(targets),
    ...reviewTable(targets),
  };
}

function surfaceTable(surfaces: CommandTargets['surfaceCommands']): CommandTable {
  return {
    'parley.fixWithAgent': (...given) => surfaces.fixWithAgent(...given),
    'parley.explain': (...given) => surfaces.explain(...given),
    'parley.addToChat': (...given) => surfaces.addToChat(...given),
    'parley.addChanges': (...given) => surfaces.addChanges(...given),
    'parley.addTerminal': () => surfaces.addTerminal(),
    'parley.addProblems': () => surfaces.addProblems(),
    'parley.writeCommitMessage': (...given) => surfaces.writeCommitMessage(...given),
    'parley.showNews': () => surfaces.showNews(),
    'parley.getStarted': () => surfaces.openWalkthrough(),
  };
}

function reviewTable(targets: CommandTargets): CommandTable {
  return {
    'parley.reviewChanges': () => targets.review.reviewChanges(),
    'parley.keepAllChanges': () => targets.review.keepAllChanges(),
    'parley.undoAllChanges': () => targets.review.undoAllChanges(),
    'parley.keepHunk': (target) => targets.review.keepHunk(target),
    'parley.undoHunk': (target) => targets.review.undoHunk(target),
    'parley.keepFile': (target) => targets.review.keepFile(target),
    'parley.undoFile': (target) => targets.review.undoFile(target),
    'parley.openChange': (target) => targets.review.openChange(target),
    'parley.nextChange': () => targets.review.nextChange(),
    'parley.previousChange': () => targets.review.previousChange(),
    'parley.undoLastReview': () => targets.review.undoLastReview(),
    'parley.commentToAgent': (target) => targets.review.commentToAgent(target),
    'parley.restoreCheckpoint': () => targets.review.restoreCheckpoint(),
  };
}

function sessionTable(targets: CommandTargets): CommandTable {
  return {
    'parley.openSession': (target) => targets.placeCommands.open(target),
    'parley.filterSessions': () => targets.sessionTree.filter(),
    'parley.clearSessionFilter': () => targets.sessionTree.clearFilter(),
    'parley.searchSessions': (target) => targets.history.search(target),
    'parley.exportSession': (target) => targets.history.exportSession(target),
    'parley.importSession': (target) => targets.history.importSession(target),
    'parley.openSessionAsDocument': (target) => targets.history.openAsDocument(target),
    'parley.copyEntry': (target) => targets.history.copyEntry(target),
    'parley.copyTurn': (target) => targets.history.copyTurn(target),
    'parley.copyConversation': (target) => targets.history.copyConversation(target),
    'parley.continueInNewChat': (target) => targets.history.continueInNewChat(target),
    'parley.renameSession': (target) => targets.sessionCommands.rename(target),
    'parley.archiveSession': (target) => targets.sessionCommands.archive(target),
    'parley.unarchiveSession': (target) => targets.sessionCommands.unarchive(target),
    'parley.deleteSession': (target) => targets.sessionCommands.delete(target),
    'parley.forkSession': (target) => targets.sessionCommands.fork(target),
    'parley.refreshSessions': () => targets.sessionCommands.refresh(),
    'parley.openInEditor': (target) => targets.placeCommands.openInEditor(target),
    'parley.openToSide': (target) => targets.placeCommands.openToSide(target),
    'parley.openInView': (target) => targets.placeCommands.openInView(target),
    'parley.newChatInEditor': () => targets.placeCommands.newChatInEditor(),
    'parley.nextSession': () => targets.placeCommands.nextSession(),
    'parley.previousSession': () => targets.placeCommands.previousSession(),
  };
}

/** Registers every command of the table. @param register `vscode.commands.registerCommand` */
export function registerCommands(
  table: CommandTable,
  register: (id: string, handler: (...given: unknown[]) => unknown) => Disposable,
): Disposable {
  const store = new DisposableStore();
  for (const [id, handler] of Object.entries(table)) store.add(register(id, handler));
  return store;
}
