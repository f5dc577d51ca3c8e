import type { KillRow } from './killRow';
import { REVIEW_KILLS } from './reviewKills';
import { STORE_KILLS } from './storeKills';

export const KILL_ROWS: Readonly<Record<string, KillRow>> = { ...REVIEW_KILLS, ...STORE_KILLS };
