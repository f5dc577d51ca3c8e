import { t } from '../../base/l10n';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { RetentionLimits } from '../../history/retentionLimits';
import { scheduleRetention } from '../../session/retentionTask';
import { showInformationMessage } from '../../workbench/windowMessages';
import { withErrorMessage } from '../reportErrors';
import type { SessionExport } from './sessionExport';
import type { SessionHistoryDeps } from './sessionHistoryDeps';

type ExportCommand = Exclude<keyof SessionExport, 'dispose'>;

/** Each command takes the argument of its menu or caller: a session or an entry of a page. None rejects. */
export type SessionHistoryCommands = Readonly<Record<ExportCommand | 'search', (target?: unknown) => Promise<void>>> &
  Disposable;

/** Creates the commands; nearly all code is loaded on first use. */
export function registerSessionHistory(deps: SessionHistoryDeps): SessionHistoryCommands {
  const store = new DisposableStore();
  const { settings } = deps;
  const limits = (): RetentionLimits => ({
    maxAgeDays: settings.get('transcripts.maxAgeDays'),
    maxSizeMB: settings.get('transcripts.maxSizeMB'),
  });
  const onDidPostpone = (count: number): void =>
    void showInformationMessage(
      t(
        '{0} conversations are now older than {1} days. Parley deletes them in a day, because the clock may be wrong.',
        count,
        limits().maxAgeDays,
      ),
    );
  store.add(scheduleRetention({ ...deps, limits, onDidPostpone }));
  const searching = store.add(new Lazy(() => loadSearch(deps)));
  const exporting = store.add(new Lazy(async () => new (await import('./sessionExport')).SessionExport(deps)));
  const run =
    (command: ExportCommand) =>
    (target?: unknown): Promise<void> =>
      withErrorMessage(async () => (await exporting.load())[command](target));
  return {
    search: (target) =>
      withErrorMessage(async () => (await searching.load()).show(typeof target === 'string' ? target : '')),
    exportSession: run('exportSession'),
    openAsDocument: run('openAsDocument'),
    importSession: run('importSession'),
    copyEntry: run('copyEntry'),
    copyTurn: run('copyTurn'),
    copyConversation: run('copyConversation'),
    continueInNewChat: run('continueInNewChat'),
    dispose: () => store.dispose(),
  };
}

async function loadSearch(deps: SessionHistoryDeps): Promise<{ show(text: string): Promise<void> }> {
  const [{ SessionSearch }, { SessionSearchPicker }] = await Promise.all([
    import('../../history/search/sessionSearch'),
    import('./sessionSearchPicker'),
  ]);
  const { catalog, sessions, log } = deps;
  const search = new SessionSearch(
    () => catalog.items(),
    (id) => sessions.getOpen(id)?.state,
    sessions.store.folder,
    log,
  );
  return { show: (text) => new SessionSearchPicker(deps, search).show(text) };
}
