import type { KillRow } from './killRow';
import { REVIEW_KILLS } from './reviewKills';

export const KILL_ROWS: Readonly<Record<string, KillRow>> = { ...REVIEW_KILLS };
