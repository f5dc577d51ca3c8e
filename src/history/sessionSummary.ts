import { asNumber, asObject, asString, canonicalJson, omitUndefined } from '../base/json';
import { t } from '../base/l10n';
import { firstLine, truncate } from '../base/text';
import { isValidTimestamp } from '../base/timestamps';
import type { Action } from '../shared/state/sessionActions';
import { reduce } from '../shared/state/sessionReducer';
import type { AgentRef, AgentSession, SessionState } from '../shared/state/sessionState';
import { emptySession } from '../shared/state/sessionState';
import type { TranscriptContent } from './transcriptFile';

/** The data of a session for lists, available without reading its transcript. */
export interface SessionSummary {
  /** Parley's id. */
  readonly id: string;
  readonly title: string;
  /** Whether the user set the title. */
  readonly renamed: boolean;
  readonly agent?: AgentRef;
  readonly agentSession?: AgentSession;
  /** The chosen folder; see {@link sessionFolder}. */
  readonly folder?: string;
  /** The branch of the git worktree that the folder is in. */
  readonly branch?: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  readonly archived: boolean;
  /** Whether the session has changed since the user last viewed it. */
  readonly unread?: boolean;
  /** Imported from a file, and read-only. */
  readonly imported?: boolean;
  /** First line of the last prompt. */
  readonly lastPrompt?: string;
  /** When the last prompt is sent again, in milliseconds since 1970. */
  readonly retryAt?: number;
  /** When the user deleted the session, in milliseconds since 1970, while that can be undone. Deleted sessions are in no list. */
  readonly deletedAt?: number;
}

export type SessionStatus = 'waiting' | 'running' | 'unread' | 'idle';

/** A session in a list: one of Parley's, or one that only the agent has stored. */
export interface SessionListItem extends SessionSummary {
  readonly status: SessionStatus;
  /** Lines under review, as in the chat. */
  readonly added?: number;
  readonly removed?: number;
  readonly isActive: boolean;
  /** False for a session that only the agent has stored. */
  readonly isOurs: boolean;
  /** The available actions; those that the agent does not support are false. */
  readonly can: {
    readonly rename: boolean;
    readonly archive: boolean;
    readonly delete: boolean;
    readonly fork: boolean;
  };
}

/** State of a session that its summary does not contain. */
type SessionListStatus = Pick<SessionSummary, 'updatedAt' | 'archived' | 'unread' | 'lastPrompt'>;

const MAX_TITLE_CHARS = 80;

const OF_SUMMARY: ReadonlySet<string> = new Set([
  'titleChanged',
  'sessionRenamed',
  'agentNamed',
  'agentSessionOpened',
  'agentSessionClosed',
  'folderChosen',
  'branchRenamed',
  'agentSessionDated',
  'sessionImported',
] satisfies Action['type'][]);

/** The folder of a session, absolute; summaries of earlier versions have only the agent's. */
export function sessionFolder({
  agentSession,
  folder,
}: Pick<SessionSummary, 'agentSession' | 'folder'>): string | undefined {
  return folder ?? agentSession?.cwd;
}

/** A title for lists, as one line: some agents send several. */
export function listTitle(title: string | undefined): string {
  // Another version may have stored something else.
  return truncate(firstLine((asString(title) ?? '').trim()), MAX_TITLE_CHARS) || t('Untitled');
}

export function summaryOf(state: SessionState, status: SessionListStatus): SessionSummary {
  const { updatedAt, archived, unread, lastPrompt } = status;
  const { id, title, renamed = false, agent, agentSession, branch, retryAt } = state;
  // The agent's session names the same folder.
  const folder = agentSession?.cwd === state.folder ? undefined : state.folder;
  const flags = { unread: unread || undefined, imported: state.imported ? true : undefined };
  return {
    id,
    title: listTitle(title),
    renamed,
    updatedAt,
    archived,
    ...omitUndefined({ agent, agentSession, folder, branch, retryAt, ...flags, lastPrompt }),
  };
}

/** @param before the prompt before the action */
export function lastPromptAfter(before: string | undefined, action: Action): string | undefined {
  return action.type === 'promptSent' ? listTitle(action.text) : before;
}

/** Rebuilds a missing summary from its transcript. */
export function summaryOfTranscript({ id, actions }: TranscriptContent, updatedAt: number): SessionSummary {
  let state = emptySession(id);
  let lastPrompt: string | undefined;
  for (const action of actions) {
    try {
      lastPrompt = lastPromptAfter(lastPrompt, action);
      if (OF_SUMMARY.has(action.type)) state = reduce(state, action);
    } catch {
      // Another version wrote it: as in `applyStored`, the others still count.
    }
  }
  return summaryOf(state, { updatedAt, archived: false, ...omitUndefined({ lastPrompt }) });
}

/**
 * The summary that two windows have changed, field by field.
 * @param base the one from which `mine` was made
 * @param there the stored one; undefined if there is none
 */
export function mergedSummary(
  base: SessionSummary | undefined,
  mine: SessionSummary,
  there: SessionSummary | undefined,
): SessionSummary {
  if (!base || !there) return mine;
  const merged: Record<string, unknown> = { ...there };
  for (const key of Object.keys({ ...base, ...mine }) as (keyof SessionSummary)[])
    if (canonicalJson(mine[key]) !== canonicalJson(base[key])) merged[key] = mine[key];
  return parseSummary(mine.id, merged) ?? mine;
}

/** Parses the result of {@link summaryOf}; undefined when it is not a summary of session `id`. */
export function parseSummary(id: string, value: unknown): SessionSummary | undefined {
  const fields = asObject(value);
  const title = asString(fields?.['title']);
  const updatedAt = asNumber(fields?.['updatedAt']);
  if (!fields || fields['id'] !== id || title === undefined || !isValidTimestamp(updatedAt)) return undefined;
  const agent = asObject(fields['agent']);
  const [name, agentTitle] = [asString(agent?.['name']), asString(agent?.['title'])];
  const session = asObject(fields['agentSession']);
  const [agentId, cwd] = [asString(session?.['id']), asString(session?.['cwd'])];
  const more = omitUndefined({
    updatedAt: asNumber(session?.['updatedAt']),
    canFork: session?.['canFork'] === true || undefined,
    program: asString(session?.['program']),
  });
  return {
    id,
    title,
    updatedAt,
    renamed: fields['renamed'] === true,
    archived: fields['archived'] === true,
    ...(fields['unread'] === true && { unread: true }),
    ...(fields['imported'] === true && { imported: true }),
    ...omitUndefined({ deletedAt: asNumber(fields['deletedAt']), lastPrompt: asString(fields['lastPrompt']) }),
    ...omitUndefined({ folder: asString(fields['folder']), branch: asString(fields['branch']) }),
    ...omitUndefined({ retryAt: asNumber(fields['retryAt']) }),
    ...(name !== undefined && { agent: { name, title: agentTitle ?? name } }),
    ...(agentId !== undefined && cwd !== undefined && { agentSession: { id: agentId, cwd, ...more } }),
  };
}
