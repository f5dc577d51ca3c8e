import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { scheduleRetention } from '../../session/retentionTask';
import type { RetentionLimits } from '../../history/retentionLimits';
import { withErrorMessage } from '../reportErrors';
import type { SessionHistory } from './historyRoom';
import type { SessionHistoryDeps } from './sessionHistoryDeps';

/** Each command takes the argument of its menu or caller: a session or an entry of a page. None rejects. */
export type SessionHistoryCommands = Readonly<
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
> &
  Disposable;

/** Creates the commands; nearly all code is loaded on first use. */
export function registerSessionHistory(deps: SessionHistoryDeps): SessionHistoryCommands {
  const store = new DisposableStore();
  const { settings } = deps;
  const limits = (): RetentionLimits => ({
    maxAgeDays: settings.get('transcripts.maxAgeDays'),
    maxSizeMB: settings.get('transcripts.maxSizeMB'),
  });
  store.add(scheduleRetention({ ...deps, limits }));
  const room = store.add(new Lazy(async () => new (await import('./historyRoom')).SessionHistory(deps)));
  const run =
    (job: (room: SessionHistory, target: unknown) => Promise<void>) =>
    (target?: unknown): Promise<void> =>
      withErrorMessage(async () => job(await room.load(), target));
  return {
    search: run((room, target) => room.search(target)),
    exportSession: run((room, target) => room.exporting.exportSession(target)),
    openAsDocument: run((room, target) => room.exporting.openAsDocument(target)),
    importSession: run((room, target) => room.exporting.importSession(target)),
    copyEntry: run((room, target) => room.exporting.copyEntry(target)),
    copyTurn: run((room, target) => room.exporting.copyTurn(target)),
    copyConversation: run((room, target) => room.exporting.copyConversation(target)),
    continueInNewChat: run((room, target) => room.exporting.continueInNewChat(target)),
    dispose: () => store.dispose(),
  };
}
