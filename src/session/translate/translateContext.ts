import { asString } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Action } from '../../shared/state/sessionActions';
import type { ConfigOption } from '../../shared/state/configOptionState';
import type { DiffContent } from '../../shared/state/contentBlocks';
import type { Terminal } from '../../shared/state/terminalState';

/** Entries that later updates name, by kind and the agent's id. */
export type EntryKind = 'compaction' | 'relay' | 'subagent';

/** What a translation needs to know of its session. */
export interface TranslateContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly selectors: readonly ConfigOption[];
  /** The path for display. */
  label(path: string): string;
  /** Computes and stores a diff. `oldText` undefined means a new file. */
  diff(path: string, oldText: string | undefined, newText: string): DiffContent;
  terminal(terminalId: string): Terminal | undefined;
  /** The entry of a known tool call. Ids may be reused in a later turn: `announced` searches this turn only. */
  toolEntry(toolCallId: string, announced: boolean): number | undefined;
  entryOf(kind: EntryKind, id: string): number | undefined;
  /** Display name: the title of a child session, undefined if unknown. */
  sessionName(sessionId: string): string | undefined;
  /** Logs what was skipped. */
  note(text: string): void;
}

/** An unknown update, stored and shown as it is (I4). */
export function translateUnknown(update: JsonObject, { now }: TranslateContext): Action {
  const { sessionUpdate, ...value } = update;
  return { type: 'rawReceived', label: asString(sessionUpdate) ?? t('update'), value, at: now };
}
