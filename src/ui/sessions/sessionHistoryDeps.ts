import type { Clock } from '../../base/clock';
import type { Logger } from '../../base/logger';
import type { Redactor } from '../../base/redactor';
import type { PlainSettingsReader } from '../../base/settings';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { Sessions } from '../../session/sessions';
import type { ChatPages } from '../chat/chatPages';

/** Dependencies of search, export and import. */
export interface SessionHistoryDeps {
  readonly catalog: SessionCatalog;
  readonly sessions: Sessions;
  readonly pages: Pick<ChatPages, 'open' | 'reveal' | 'current'>;
  /** Parley's version. */
  readonly version: string;
  readonly redactor: Redactor;
  readonly log: Logger;
  readonly clock: Clock;
  readonly settings: PlainSettingsReader<'transcripts.maxAgeDays' | 'transcripts.maxSizeMB'>;
}
