import type { Cost } from '../state/usageState';

/** "0.0123 USD" */
export function formatCost({ amount, currency }: Cost, language: string): string {
  const digits = Math.abs(amount) < 1 ? 4 : 2;
  return `${amount.toLocaleString(language, { minimumFractionDigits: 2, maximumFractionDigits: digits })} ${currency}`;
}
