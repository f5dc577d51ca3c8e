import { t } from '../../base/l10n';
import type { ElicitationQuestion } from '../../shared/state/elicitationState';

type AddressQuestion = Extract<ElicitationQuestion, { readonly mode: 'url' }>;

/**
 * An address that a stranger wants the person to open, as a question. Only what is shown may be opened, and only safely (security: URL
 * from a server): https, without a name or password. Else what is wrong with it.
 */
export function parseElicitationUrl(text: string): AddressQuestion | { readonly problem: string } {
  if (!URL.canParse(text)) return { problem: 'is not an address' };
  const url = new URL(text);
  if (url.protocol !== 'https:') return { problem: 'must be an https address' };
  if (url.username !== '' || url.password !== '') return { problem: 'must not hold a user name or password' };
  const question = { mode: 'url', url: url.href, host: url.host } as const;
  if (!url.hostname.split('.').some((label) => label.startsWith('xn--'))) return question;
  const warning = t('This name is written with letters outside the Latin alphabet and may imitate another one.');
  return { ...question, warning };
}
