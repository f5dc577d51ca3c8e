import { randomUUID } from 'node:crypto';
import { errorMessage } from '../../base/errors';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import type { TranscriptContent } from '../../history/transcriptFile';
import { entriesFrom, entryAt } from '../../shared/state/entryPages';
import { QUEUE_ACTIONS } from '../../shared/state/messageQueueState';
import type { Action } from '../../shared/state/sessionActions';
import { reduce } from '../../shared/state/sessionReducer';
import type { SessionState } from '../../shared/state/sessionState';
import { emptySession } from '../../shared/state/sessionState';
import { capabilitiesOf } from '../agents/sessionCapabilities';
import type { SharedAgent } from '../agents/sharedAgent';
import type { LiveSession } from '../liveSession';
import type { WindowSessions } from '../windowSessions';
import { forkAgentSession } from './forkSession';

/** The position at which a fork leaves its source session, and the fork's title. */
interface ForkPoint {
  /** The fork keeps the entries before this index. */
  readonly cut: number;
  readonly title: string;
  /** Name of another agent for the new session; the agent of the source if undefined. */
  readonly agent?: string;
}

/** Actions that belong to the source only: agent session, queue, checkpoints. */
const OF_THE_SOURCE: ReadonlySet<Action['type']> = new Set<Action['type']>([
  'agentSessionOpened',
  'agentSessionClosed',
  'agentSessionDated',
  'checkpointRestored',
  'restoreUndone',
]);

/** Actions that another agent does not take over: the costs, limits and config options of the source's agent. */
const OF_THE_AGENT: ReadonlySet<Action['type']> = new Set<Action['type']>([
  'usageChanged',
  'limitsChanged',
  'retryScheduled',
  'retryEnded',
  'selectorsChanged',
  'selectorChosen',
  'choiceSettled',
  'choicesKept',
  'commandsChanged',
]);

/**
 * Forks a session at an entry; the source stays unchanged. Where the agent can fork there (`session/fork`), the new session has the
 * context; otherwise the next message includes the conversation, and a notice says so.
 * @throws ParleyError when the transcript cannot be read
 */
export async function forkFromEntry(
  source: LiveSession,
  point: ForkPoint,
  sessions: WindowSessions,
  log: Logger,
): Promise<LiveSession> {
  await source.history.flush();
  const whole = await sessions.store.readTranscript(source.id);
  const part = transcriptBefore(whole ?? { id: source.id, actions: [], diffs: new Map(), damaged: 0 }, point.cut);
  if (point.agent !== undefined) return startWithAgent(source, { ...point, agent: point.agent }, part, sessions);
  if (point.cut === 0) return startEmpty(source, sessions);
  return (
    (await forkAtAgent(source, point, part, sessions, log)) ?? startWithConversation(source, point, part, sessions)
  );
}

/** The actions for the entries before `cut`; running ones are stopped. */
export function transcriptBefore(transcript: TranscriptContent, cut: number): TranscriptContent {
  let state = emptySession(transcript.id);
  const actions: Action[] = [];
  for (const action of transcript.actions) {
    const next = reduceAction(state, action);
    if (next.entries.count > cut) break;
    state = next;
    if (!OF_THE_SOURCE.has(action.type) && !QUEUE_ACTIONS.has(action.type)) actions.push(action);
  }
  const at = entryAt(state.entries, state.entries.count - 1)?.at ?? 0;
  if (state.turn.status === 'running') actions.push({ type: 'turnEnded', stopReason: 'cancelled', at });
  return { ...transcript, actions };
}

/** Skips actions that this version cannot apply: see `SessionModel.restore`. */
function reduceAction(state: SessionState, action: Action): SessionState {
  try {
    return reduce(state, action);
  } catch {
    return state;
  }
}

/** The cut for a fork at an entry: before a user message; after another entry, with the rest of its turn when no answer follows in it. */
export function forkCut({ entries }: SessionState, entry: number): number {
  if (entryAt(entries, entry)?.kind === 'user') return entry;
  for (const [index, { kind }] of entriesFrom(entries, entry + 1)) {
    if (kind === 'user') return index;
    if (kind === 'agent') return entry + 1;
  }
  return entries.count;
}

/** Without earlier messages: the same agent with the same config values. */
function startEmpty({ state }: LiveSession, sessions: WindowSessions): LiveSession {
  const session = sessions.open.create(randomUUID());
  if (state.agent) session.dispatch({ type: 'agentNamed', agent: state.agent });
  keepFolder(session, state);
  if (state.preset) session.dispatch({ type: 'presetChosen', preset: state.preset });
  if (state.choices) session.dispatch({ type: 'choicesKept', choices: state.choices });
  if (state.renamed && state.title !== undefined) session.dispatch({ type: 'sessionRenamed', title: state.title });
  return session;
}

function keepFolder(session: LiveSession, { folder, branch }: SessionState): void {
  if (folder !== undefined) session.dispatch({ type: 'folderChosen', folder, ...omitUndefined({ branch }) });
}

/** By `session/fork`; undefined when the agent does not support it there. */
async function forkAtAgent(
  source: LiveSession,
  { cut, title }: ForkPoint,
  part: TranscriptContent,
  sessions: WindowSessions,
  log: Logger,
): Promise<LiveSession | undefined> {
  if (source.state.agentSession?.canFork && !source.binding.current) await source.reopen();
  const link = source.binding.current?.link;
  if (!link || !capabilitiesOf(link).fork) return undefined;
  const isWhole = cut >= source.state.entries.count;
  const meta = isWhole ? undefined : forkMeta(link, source.state, cut);
  if (!isWhole && !meta) return undefined;
  try {
    return await forkAgentSession(source, sessions, title, part, meta);
  } catch (error) {
    log.info('session', `Failed to fork ${link.definition.title} at a message: ${errorMessage(error)}`);
    return undefined;
  }
}

/**
 * `_meta` that names the last answer before `cut`, for agents that fork at one; undefined if unsupported or the turn before `cut` is
 * incomplete.
 */
function forkMeta(link: SharedAgent, { entries }: SessionState, cut: number): ReturnType<typeof pointOf> {
  if (entryAt(entries, cut)?.kind !== 'user') return undefined;
  for (let index = cut - 1; index >= 0; index--) {
    const entry = entryAt(entries, index);
    if (entry?.kind === 'user') return undefined;
    if (entry?.kind === 'agent') return pointOf(link, entry.messageId);
  }
  return undefined;
}

function pointOf(link: SharedAgent, messageId: string | undefined): Record<string, unknown> | undefined {
  return messageId === undefined ? undefined : link.connection.quirk?.forkPoint?.(messageId);
}

/** A session of another agent that gets the conversation as context; the two sessions link to each other. */
function startWithAgent(
  source: LiveSession,
  point: ForkPoint & { readonly agent: string },
  part: TranscriptContent,
  sessions: WindowSessions,
): LiveSession {
  const session = sessions.open.create(randomUUID());
  session.setAgent(point.agent);
  const { agent } = session.state;
  copyConversation(
    session,
    source,
    { ...part, actions: part.actions.filter(({ type }) => !OF_THE_AGENT.has(type)).map(withoutRetryTime) },
    point,
  );
  if (agent) session.dispatch({ type: 'agentNamed', agent });
  const at = Date.now();
  const link = { type: 'noticeShown', severity: 'info', at } as const;
  session.dispatch({
    ...link,
    title: t('Continued from {0}', source.state.agent?.title ?? t('another agent')),
    text: t('The first message below includes the conversation above as text. Files stay as they are.'),
    session: source.id,
  });
  source.dispatch({ ...link, title: t('Continued with {0}', agent?.title ?? point.agent), session: session.id });
  return session;
}

/** The time at which another agent's limit is reset does not matter here. */
function withoutRetryTime(action: Action): Action {
  if (action.type !== 'errorShown') return action;
  const { retryAt: _retryAt, ...rest } = action;
  return rest;
}

function copyConversation(
  session: LiveSession,
  { state }: LiveSession,
  part: TranscriptContent,
  { title }: ForkPoint,
): void {
  session.copyFrom(part);
  keepFolder(session, state);
  session.dispatch({ type: 'sessionRenamed', title });
  session.dispatch({ type: 'branched' });
}

/** A new agent session that gets the conversation as context. */
function startWithConversation(
  source: LiveSession,
  point: ForkPoint,
  part: TranscriptContent,
  sessions: WindowSessions,
): LiveSession {
  const session = sessions.open.create(randomUUID());
  copyConversation(session, source, part, point);
  const agent = source.state.agent?.title ?? t('The agent');
  session.dispatch({
    type: 'noticeShown',
    severity: 'info',
    title: t('A new session starts here'),
    text: t(
      '{0} cannot fork the session at this point. The first message below includes the conversation above as text.',
      agent,
    ),
    at: Date.now(),
  });
  return session;
}
