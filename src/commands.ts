import type { PermissionKind } from './shared/state/toolCallState';

type Handler = (...given: unknown[]) => Promise<void>;
type Names<Name extends string> = Readonly<Record<string, Name>>;
/** The functions that execute the commands of a group. */
type Handlers<T extends Names<string>> = Readonly<Record<T[keyof T], Handler>>;

const REVIEW = {
  'parley.keepHunk': 'keepHunk',
  'parley.undoHunk': 'undoHunk',
  'parley.keepFile': 'keepFile',
  'parley.undoFile': 'undoFile',
  'parley.openChange': 'openChange',
  'parley.nextChange': 'nextChange',
  'parley.restoreCheckpoint': 'restoreCheckpoint',
  'parley.commentToAgent': 'commentToAgent',
  'parley.addComment': 'addComment',
  'parley.sendComments': 'sendComments',
  'parley.deleteComment': 'deleteComment',
  'parley.editComment': 'editComment',
  'parley.saveComment': 'saveComment',
  'parley.cancelComment': 'cancelComment',
} as const;

const REVIEW_ALL = {
  'parley.reviewChanges': 'reviewChanges',
  'parley.keepAllChanges': 'keepAllChanges',
  'parley.undoAllChanges': 'undoAllChanges',
  'parley.keepShownChanges': 'keepShownChanges',
  'parley.undoShownChanges': 'undoShownChanges',
  'parley.previousChange': 'previousChange',
  'parley.undoLastReview': 'undoLastReview',
} as const;

const EDITOR_ACTIONS = {
  'parley.fixWithAgent': 'fixWithAgent',
  'parley.explain': 'explain',
  'parley.addToChat': 'addToChat',
  'parley.addChanges': 'addChanges',
  'parley.addTerminal': 'addTerminal',
  'parley.addProblems': 'addProblems',
  'parley.writeCommitMessage': 'writeCommitMessage',
  'parley.showNews': 'showNews',
  'parley.getStarted': 'openWalkthrough',
  'parley.openSettings': 'openSettings',
} as const;

const MESSAGES = {
  'parley.addSelection': 'addSelection',
  'parley.sendPlan': 'sendPlan',
  'parley.showDiagram': 'showDiagram',
} as const;

const PLACES = {
  'parley.openSession': 'open',
  'parley.openInEditor': 'openInEditor',
  'parley.openToSide': 'openToSide',
  'parley.openInView': 'openInView',
  'parley.takeOverSession': 'takeOver',
  'parley.newChatInEditor': 'newChatInEditor',
  'parley.nextSession': 'nextSession',
  'parley.previousSession': 'previousSession',
} as const;

const SESSIONS = {
  'parley.stop': 'stop',
  'parley.renameSession': 'rename',
  'parley.archiveSession': 'archive',
  'parley.unarchiveSession': 'unarchive',
  'parley.deleteSession': 'delete',
  'parley.forkSession': 'fork',
  'parley.copyResumeCommand': 'copyResumeCommand',
  'parley.continueInTerminal': 'continueInTerminal',
  'parley.refreshSessions': 'refresh',
} as const;

const HISTORY = {
  'parley.searchSessions': 'search',
  'parley.exportSession': 'exportSession',
  'parley.importSession': 'importSession',
  'parley.openSessionAsDocument': 'openAsDocument',
  'parley.copyEntry': 'copyEntry',
  'parley.copyTurn': 'copyTurn',
  'parley.copyConversation': 'copyConversation',
  'parley.continueInNewChat': 'continueInNewChat',
} as const;

const WORKTREES = {
  'parley.newChatInWorktree': 'newChat',
  'parley.discardWorktree': 'discard',
  'parley.cleanUpWorktrees': 'cleanUp',
  'parley.openWorktree': 'openInNewWindow',
  'parley.compareWorktree': 'compare',
  'parley.takeAll': 'takeAll',
  'parley.takeFile': 'takeFile',
  'parley.takeHunk': 'takeHunk',
  'parley.race': 'race',
  'parley.showRaces': 'showRaces',
} as const;

/** The objects that execute the commands. */
export interface CommandTargets {
  readonly chat: {
    focus(): Promise<void>;
    find(): Promise<void>;
    showTools(): Promise<void>;
    quoteSelection(): void;
  };
  readonly sessions: {
    readonly active: {
      readonly restarter: { forceStop(): Promise<void> };
      restart(): Promise<void>;
    };
    newChat(): { readonly warmStart: { start(): Promise<void> } };
  };
  readonly pendingRequests: {
    show(): Promise<void>;
    answerBy(kinds: readonly PermissionKind[], target?: unknown): Promise<void>;
    rejectAndExplain(target?: unknown): Promise<void>;
  };
  readonly permissionViews: {
    showAuditLog(): Promise<void>;
    manageRules(): Promise<void>;
    addRule(): Promise<void>;
  };
  /** Takes the folder of the Explorer. */
  readonly folders: { newChatHere(target?: unknown): Promise<void> };
  readonly worktrees: { readonly commands: Handlers<typeof WORKTREES> };
  readonly selectAgent: () => Promise<void>;
  readonly continueWith: (target?: unknown) => Promise<void>;
  readonly installAgent: { show(): Promise<void> };
  /** Takes the name of a preset. */
  readonly newChatWithPreset: (name?: unknown) => Promise<void>;
  readonly saveAsPreset: () => Promise<void>;
  readonly signIn: () => Promise<void>;
  readonly signOut: () => Promise<void>;
  readonly secrets: { deleteSelected(): Promise<void> };
  readonly log: { show(): void };
  readonly tools: { refresh(): void };
  readonly addSelection: () => Promise<void>;
  readonly sendPlan: () => Promise<void>;
  readonly showDiagram: () => Promise<void>;
  readonly follow: { toggle(): Promise<void> };
  /** Each command takes the argument of its code lens or menu: a change or a file. */
  readonly review: Handlers<typeof REVIEW> & Handlers<typeof REVIEW_ALL>;
  /** Each command takes the argument of its menu, code lens or quick fix. */
  readonly editorActionCommands: Handlers<typeof EDITOR_ACTIONS>;
  readonly gateway: { start(): Promise<void>; stop(): Promise<void> };
  readonly traffic: {
    readonly view: { show(): void; save(): Promise<void> };
    readonly files: { replay(): Promise<void> };
  };
  /** Each command takes a session id or tree node; without one it applies to the session used last. */
  readonly chatLocationCommands: Handlers<typeof PLACES>;
  readonly sessionTree: { filter(): Promise<void>; clearFilter(): void };
  /** Each command takes a session or an entry. */
  readonly history: Handlers<typeof HISTORY>;
  readonly sessionCommands: Handlers<typeof SESSIONS>;
}

export type CommandTable = Readonly<Record<`parley.${string}`, (target?: unknown, ...more: unknown[]) => unknown>>;

/** All commands of Parley. A test compares the ids with package.json. */
export function commandTable(targets: CommandTargets): CommandTable {
  const { chat, sessions, pendingRequests } = targets;
  return {
    'parley.newChat': async () => {
      void sessions.newChat().warmStart.start();
      await chat.focus();
    },
    'parley.newChatHere': (target) => targets.folders.newChatHere(target),
    'parley.focusChat': () => chat.focus(),
    'parley.findInChat': () => chat.find(),
    'parley.forceStop': () => sessions.active.restarter.forceStop(),
    'parley.selectAgent': () => targets.selectAgent(),
    'parley.continueWith': (target) => targets.continueWith(target),
    'parley.installAgent': () => targets.installAgent.show(),
    'parley.restartAgent': () => sessions.active.restart(),
    'parley.signIn': () => targets.signIn(),
    'parley.signOut': () => targets.signOut(),
    'parley.forgetSecrets': () => targets.secrets.deleteSelected(),
    'parley.approve': (target) => pendingRequests.answerBy(['allow_once'], target),
    'parley.approveAlways': () => pendingRequests.answerBy(['allow_always']),
    'parley.reject': (target) => pendingRequests.answerBy(['reject_once', 'reject_always'], target),
    'parley.rejectAndExplain': (target) => pendingRequests.rejectAndExplain(target),
    'parley.showWaiting': () => pendingRequests.show(),
    'parley.manageRules': () => targets.permissionViews.manageRules(),
    'parley.addRule': () => targets.permissionViews.addRule(),
    'parley.showAuditLog': () => targets.permissionViews.showAuditLog(),
    'parley.showLog': () => targets.log.show(),
    'parley.showTools': () => chat.showTools(),
    'parley.refreshTools': () => targets.tools.refresh(),
    'parley.quoteSelection': () => chat.quoteSelection(),
    'parley.toggleFollow': () => targets.follow.toggle(),
    'parley.startA2aGateway': () => targets.gateway.start(),
    'parley.stopA2aGateway': () => targets.gateway.stop(),
    'parley.showTraffic': () => targets.traffic.view.show(),
    'parley.saveTraffic': () => targets.traffic.view.save(),
    'parley.replayTraffic': () => targets.traffic.files.replay(),
    ...tablesOfRooms(targets),
  };
}

function tablesOfRooms(targets: CommandTargets): CommandTable {
  return {
    'parley.newChatWithPreset': (name) => targets.newChatWithPreset(name),
    'parley.saveAsPreset': () => targets.saveAsPreset(),
    'parley.filterSessions': () => targets.sessionTree.filter(),
    'parley.clearSessionFilter': () => targets.sessionTree.clearFilter(),
    ...tableOf(EDITOR_ACTIONS, targets.editorActionCommands),
    ...tableOf(PLACES, targets.chatLocationCommands),
    ...tableOf(SESSIONS, targets.sessionCommands),
    ...tableOf(HISTORY, targets.history),
    ...tableOf(WORKTREES, targets.worktrees.commands),
    ...tableOf(REVIEW, targets.review),
    ...withoutTarget(tableOf(REVIEW_ALL, targets.review)),
    ...withoutTarget(tableOf(MESSAGES, targets)),
  };
}

function tableOf<Name extends string>(names: Names<Name>, handlers: Readonly<Record<Name, Handler>>): CommandTable {
  return Object.fromEntries(
    Object.entries(names).map(([id, name]): [string, Handler] => [id, handlers[name].bind(handlers)]),
  );
}

/** Removes the argument: some menus pass a file, which must not narrow these commands. */
function withoutTarget(table: CommandTable): CommandTable {
  return Object.fromEntries(Object.entries(table).map(([id, handler]) => [id, () => handler()]));
}
