import type { Clock } from '../../base/clock';
import type { Logger } from '../../base/logger';
import type { Redactor } from '../../base/redactor';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { Sessions } from '../../session/sessions';
import type { ChatPages } from '../chat/chatPages';

/** What searching, exporting and importing need from the outside. */
export interface SessionHistoryDeps {
  readonly catalog: SessionCatalog;
  readonly sessions: Sessions;
  readonly pages: Pick<ChatPages, 'open' | 'reveal' | 'current'>;
  /** Of Parley. */
  readonly version: string;
  readonly redactor: Redactor;
  readonly log: Logger;
  readonly clock: Clock;
  readonly settings: { get(key: 'transcripts.maxAgeDays' | 'transcripts.maxSizeMB'): number };
}
