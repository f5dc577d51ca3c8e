import type { Clock } from '../base/clock';
import { errorMessage } from '../base/errors';
import { TranscriptWriter } from '../history/transcriptWriter';
import type { SessionOptions } from './session';
import { Session } from './session';
import type { SessionsOptions } from './sessionsOptions';

const STOP_TIMEOUT_MS = 10_000;

/**
 * @param id ours
 * @param mayWrite false when another window has taken the transcript
 * @param onDidAbandon see `BindingOptions`
 */
export function createSession(
  id: string,
  options: SessionsOptions,
  clock: Clock,
  mayWrite: () => boolean,
  onDidAbandon: NonNullable<SessionOptions['onDidAbandon']>,
): Session {
  const { agents, log, fallbackAgent, stopDeadline = STOP_TIMEOUT_MS } = options;
  const agent = agents.refOf(options.initialAgent());
  const session: Session = new Session({
    ...(agent && { agent }),
    policy: options.policy,
    onDidAbandon,
    ...(options.budget && { budget: options.budget }),
    id,
    agents,
    // Folders can change while a session is open.
    get folders() {
      return options.folders();
    },
    ...(options.worktreeOf && { worktreeOf: (folder) => options.worktreeOf?.(folder) }),
    virtualFolders: options.virtualFolders?.() ?? [],
    get cwd() {
      return initialFolder(options);
    },
    history: historyOf(id, options, mayWrite, () => session),
    log,
    mayWrite,
    now: () => clock.now(),
    clock,
    fallbackAgent,
    stopDeadline,
    ...(options.prompts && { prompts: options.prompts }),
    beforePrompt: async (entry) => options.beforePrompt?.(session, entry),
    ...(options.readAttachments && { readAttachments: async (all) => options.readAttachments?.(session, all) ?? [] }),
  });
  return session;
}

/** The folder of a new chat. */
function initialFolder(options: Pick<SessionsOptions, 'initialFolder' | 'folders' | 'home'>): string {
  return options.initialFolder?.() ?? options.folders()[0] ?? options.home;
}

/** A write error is reported once per session. */
function historyOf(
  id: string,
  options: SessionsOptions,
  mayWrite: () => boolean,
  session: () => Session,
): TranscriptWriter {
  const { log, folder } = options;
  let failed = false;
  const onError = (error: unknown): void => {
    log.error('session', `Failed to write transcript ${id}: ${errorMessage(error)}`);
    if (!failed) options.onHistoryError(session(), errorMessage(error));
    failed = true;
  };
  return new TranscriptWriter(folder, id, { onError, mayWrite });
}
