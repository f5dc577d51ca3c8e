import type { DisposableStore } from '../../base/lifecycle';
import { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import type { AttachmentService } from '../attachments/attachmentService';
import type { ChatPages } from '../chat/chatPages';
import type { UiDeps } from '../uiDeps';
import type { UiSession } from '../uiTypes';
import { ChatRaces } from './chatRaces';
import { RaceBoard } from './raceBoard';
import { RaceCommands } from './raceCommands';
import { RaceFeed } from './raceFeed';
import { runSetupTask } from './runSetupTask';
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
  const open = (id: string): UiSession | undefined => sessions.allOpen().find((session) => session.id === id);
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
