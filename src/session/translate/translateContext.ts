import { asString } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Action } from '../../shared/state/sessionActions';
import type { ConfigOption } from '../../shared/state/configOptionState';
import type { DiffContent } from '../../shared/state/contentBlocks';
import type { EntryPages } from '../../shared/state/sessionState';
import type { TerminalState } from '../../shared/state/terminalState';
import type { EntryIndex } from '../entryIndex';

/** Data of the session that a translation needs. */
export interface TranslateContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly selectors: readonly ConfigOption[];
  readonly terminals: TerminalState['terminals'];
  readonly entries: EntryPages;
  readonly index: Pick<EntryIndex, 'toolEntry' | 'entryOf'>;
  /** The path for display. */
  label(path: string): string;
  /** Computes and stores a diff. `oldText` undefined means a new file. */
  diff(path: string, oldText: string | undefined, newText: string): DiffContent;
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
