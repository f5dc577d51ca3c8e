import { setTranslations } from '../../base/l10n';
import { isObject } from '../../base/json';

/** Gives `t` the sentences that the host has put into the document (`ui/chat/chatHtml.ts`); without any, everything is in English. */
const written = document.getElementById('translations')?.textContent ?? '';
const table: unknown = written === '' ? undefined : JSON.parse(written);
if (isObject(table)) setTranslations(table as Readonly<Record<string, string>>, document.documentElement.lang);
