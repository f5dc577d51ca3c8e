import { isObject } from '../../base/json';
import { setTranslations } from '../../base/l10n';

/**
 * Sets the translations of `t` that the host embedded in the document (`ui/chat/chatHtml.ts`); without any, texts are
 * English.
 */
const written = document.getElementById('translations')?.textContent ?? '';
const table: unknown = written === '' ? undefined : JSON.parse(written);
if (isObject(table)) setTranslations(table as Readonly<Record<string, string>>, document.documentElement.lang);
