import type { Usage } from '../../../shared/state/usageState';

/** Used share of the context at which the user is warned. */
export const NEARLY_FULL_SHARE = 0.8;

/** 0 to 1; undefined when the size is unknown. */
export function contextShare(usage: Usage | undefined): number | undefined {
  return usage && usage.size > 0 ? Math.min(1, usage.used / usage.size) : undefined;
}

/**
 * "74,000"
 * @param language of the user
 */
export function formatNumber(value: number, language: string): string {
  return value.toLocaleString(language);
}
