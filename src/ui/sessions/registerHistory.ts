import { systemClock } from '../../base/clock';
import { t } from '../../base/l10n';
import { Lazy } from '../../base/lazy';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { RetentionLimits } from '../../history/retentionLimits';
import { scheduleRetention } from '../../session/retentionTask';
import { showInformationMessage } from '../../workbench/windowMessages';
import { withErrorMessage } from '../reportErrors';
import type { Window } from '../window';
import type { SessionExport } from './sessionExport';

type ExportCommand = Exclude<keyof SessionExport, 'dispose'>;

/** Each command takes the argument of its menu or caller: a session or an entry of a page. None rejects. */
export type SessionHistoryCommands = Readonly<Record<ExportCommand | 'search', (target?: unknown) => Promise<void>>> &
  Disposable;

/** Creates the commands; nearly all code is loaded on first use. */
export function registerHistory(window: Window): SessionHistoryCommands {
  const { sessions, catalog, settings, log } = window;
  const store = new DisposableStore();
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
  store.add(scheduleRetention({ sessions, catalog, clock: systemClock, log, limits, onDidPostpone }));
  const searching = store.add(new Lazy(() => loadSearch(window)));
  const exporting = store.add(new Lazy(() => loadExport(window)));
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

async function loadExport({ sessions, catalog, chat, redactor, extension }: Window): Promise<SessionExport> {
  const { SessionExport: Loaded } = await import('./sessionExport');
  return new Loaded(sessions, catalog, chat, redactor, extension.version);
}

async function loadSearch({ catalog, sessions, chat, log }: Window): Promise<{ show(text: string): Promise<void> }> {
  const [{ SessionSearch }, { SessionSearchPicker }] = await Promise.all([
    import('../../history/search/sessionSearch'),
    import('./sessionSearchPicker'),
  ]);
  const search = new SessionSearch(
    () => catalog.items(),
    (id) => sessions.getOpen(id)?.state,
    sessions.store.folder,
    log,
  );
  return { show: (text) => new SessionSearchPicker(catalog, chat, search).show(text) };
}
