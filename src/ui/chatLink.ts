import { locale, t } from '../base/l10n';
import { truncate } from '../base/text';
import { escapeInvisible, escapeInvisibleInline } from '../base/untrustedText';

/**
 * Links into the editor: `<editor>://parley.parley/new?prompt=…&agent=…&folder=…`. Web pages and other programs can create such links, so
 * a link only fills the message box of a new chat (docs/security.md, row 15). Pure.
 */

/** UTF-16 units: the user must be able to read the prompt before sending it. */
export const MAX_PROMPT = 16_000;
/** Maximum UTF-16 units of the name of an agent or a folder. */
const MAX_NAME = 1_000;

/** Path of links that only show a session that this computer already has: `/session?id=…`. */
export const SESSION_PATH = '/session';

interface ChatLink {
  /** The prompt with hidden characters shown; may be empty. */
  readonly prompt: string;
  readonly agent?: string;
  readonly folder?: string;
}

/** Already decoded by VS Code. */
interface LinkAddress {
  readonly path: string;
  readonly query: string;
}

/** The id in a link to a session; undefined for other links. */
export function parseSessionLink({ path, query }: LinkAddress): string | undefined {
  const id = path === SESSION_PATH ? parameters(query).get('id') : undefined;
  return id !== undefined && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}

/** The parsed link, or a sentence that says why it is refused. Unknown parameters are ignored. */
export function parseChatLink({
  path,
  query,
}: LinkAddress): { readonly link: ChatLink } | { readonly problem: string } {
  if (path !== '/new') return { problem: t('Parley does not support links to “{0}”. Use “/new”.', inSentence(path)) };
  const values = parameters(query);
  const prompt = escapeInvisible(values.get('prompt') ?? '').trim();
  if (prompt.length > MAX_PROMPT) {
    const size = t(
      '{0} characters; the limit is {1}',
      prompt.length.toLocaleString(locale()),
      MAX_PROMPT.toLocaleString(locale()),
    );
    return { problem: t('The prompt in this link is too long ({0}). The message box was not changed.', size) };
  }
  const agent = name(values.get('agent'));
  const folder = name(values.get('folder'));
  return { link: { prompt, ...(agent !== undefined && { agent }), ...(folder !== undefined && { folder }) } };
}

/** The first value of each parameter. VS Code has decoded the whole query, so an “&” counts as a separator only before a name and “=”. */
function parameters(query: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const part of query.split(/&(?=[A-Za-z_][\w.-]*=)/)) {
    const [, key = '', value = ''] = /^([^=]*)=?([\s\S]*)$/.exec(part) ?? [];
    if (!values.has(key)) values.set(key, value);
  }
  return values;
}

function name(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === undefined || trimmed === '' || trimmed.length > MAX_NAME ? undefined : trimmed;
}

/**
 * Sentences for the user about ignored parts.
 * @param found whether the agent and the folder can be used
 */
export function linkRemarks(
  { agent, folder }: ChatLink,
  found: { readonly hasAgent: boolean; readonly hasFolder: boolean },
): string[] {
  const lacksAgent = agent !== undefined && !found.hasAgent;
  const lacksFolder = folder !== undefined && !found.hasFolder;
  return [
    ...(lacksAgent
      ? [t('The link requests the agent “{0}”, but this agent is not available.', inSentence(agent))]
      : []),
    ...(lacksFolder
      ? [t('The link requests the folder {0}, but this folder is not open in this window.', inSentence(folder))]
      : []),
  ];
}

function inSentence(text: string): string {
  return truncate(escapeInvisibleInline(text), 120);
}
