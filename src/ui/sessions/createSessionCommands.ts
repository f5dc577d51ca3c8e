import { Lazy } from '../../base/lazy';
import { withErrorMessage } from '../reportErrors';
import type { SessionCommands } from './sessionCommands';

type SessionCommand = keyof SessionCommands;

/** Creates the commands on sessions, which are loaded on first use. None rejects. */
export function createSessionCommands(
  ...deps: ConstructorParameters<typeof SessionCommands>
): Readonly<Record<SessionCommand, (target?: unknown) => Promise<void>>> {
  const loaded = new Lazy(async () => new (await import('./sessionCommands')).SessionCommands(...deps));
  const run =
    (command: SessionCommand) =>
    (target?: unknown): Promise<void> =>
      withErrorMessage(async () => (await loaded.load())[command](target));
  return {
    stop: run('stop'),
    rename: run('rename'),
    archive: run('archive'),
    unarchive: run('unarchive'),
    delete: run('delete'),
    fork: run('fork'),
    copyResumeCommand: run('copyResumeCommand'),
    refresh: run('refresh'),
  };
}
