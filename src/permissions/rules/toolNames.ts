import { normalizeText } from '../../base/text';
import { matchesWildcard } from './wildcard';

/** How agents name the tools of MCP servers. Rules use `server__tool`. */

/** Limits: UTF-16 units of a text, of a name, and words of a title. */
const MAX_TEXT = 10_000;
const MAX_NAME = 300;
const MAX_WORDS = 20;

/** Ids that a name may mean; `possible` ones apply only where a rule names the server explicitly. */
interface ToolIds {
  readonly certain: readonly string[];
  readonly possible: readonly string[];
}

/**
 * Whether one of the agent's names may mean a tool of this pattern, for rules that ask or deny: `mcp__s__t`, `mcp_s_t`,
 * `s__t`, `s-t`, `s/t`, `mcp__s/t`, `t (s MCP Server)` and similar. Ignores case and invisible characters, and treats
 * characters that agents replace by `_` (a blank, a letter with an accent) as `_`.
 */
export function mayNameTool(pattern: string, names: readonly string[]): boolean {
  const forms = formsOf(normalize(pattern));
  // A plain word such as `read_file` is not a server's tool, unless a rule names a server `read`.
  const hasServer = /^[^*]+?__/.test(pattern);
  return names.some((name) => {
    const { certain, possible } = idsIn(normalize(name).slice(0, MAX_NAME));
    const ids = [...certain, ...(hasServer ? possible : [])].flatMap(formsOf);
    return ids.some((id) => forms.some((form) => matchesWildcard(form, id)));
  });
}

/**
 * The tool name at the start of a title; undefined for a possible command line, in which such names have no meaning.
 */
export function leadingTool(title: string): string | undefined {
  return /^(?:tool: \S+|mcp[_\-/.:]\S+|\S+?__\S+|[^\s(]+ \(.+ mcp server\))/i.exec(normalize(title))?.[0];
}

/**
 * Whether a title or name may be that of a server's tool, in a form that files and sentences have as well: `docker-exec`, `docker/exec`,
 * `exec (docker)`, `[docker] exec`, `docker → exec`.
 */
export function mayBeServerTool(text: string): boolean {
  const isForm = /^(?:\w+(?:[-./:]+\w+)+|mcp\b.*|[^\s(]+ \([^()]+\)|\[[^\]]+\] ?\S+|\S+ ?(?:→|->|›|>|»|\|) ?\S+)$/s;
  return leadingTool(text) !== undefined || isForm.test(normalize(text));
}

const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

function normalize(text: string): string {
  return normalizeText(text.slice(0, MAX_TEXT), 'NFKC').replace(UNSEEN, '').trim().toLowerCase();
}

/** Via upper case, in which more characters are equal: `ß` and ss. */
function formsOf(text: string): readonly string[] {
  const folded = text.toUpperCase().toLowerCase();
  return [...new Set([folded, text.replace(/[^\w*\\-]/g, '_')])];
}

function idsIn(text: string): ToolIds {
  const name = text.replace(/^tool: /, 'mcp__');
  const [, tool, server] = /^([^\s(]+) \((.+) mcp server\)/.exec(name) ?? [];
  if (tool !== undefined && server !== undefined) return { certain: [`${server}__${tool}`], possible: [] };
  const found = (name.match(/[\p{L}\p{M}\p{N}_.\-/:]+/gu) ?? []).slice(0, MAX_WORDS);
  const words = found.map((word) => word.replace(/(?<![.:])[.:]+$/, ''));
  const ids = words.map(idsOfWord);
  // The name of a server may contain blanks.
  const whole = name.includes('__') ? [idsOfWord(name)] : [];
  // In a sentence, a word such as `src/app.ts` is not a tool name.
  return {
    certain: [...ids, ...whole].flatMap(({ certain }) => certain),
    possible: words.length === 1 ? ids.flatMap(({ possible }) => possible) : [],
  };
}

function idsOfWord(word: string): ToolIds {
  const [prefix = ''] = /^mcp(?:__|[_\-/.:])/.exec(word) ?? [];
  const rest = word.slice(prefix.length);
  const exact = splits(rest, /__/g);
  if (exact.length > 0) return { certain: exact, possible: [] };
  const others = splits(rest, /[_\-/.:]/g);
  return prefix === '' ? { certain: [], possible: others } : { certain: others, possible: [] };
}

function splits(text: string, separator: RegExp): string[] {
  return Array.from(text.matchAll(separator), ({ 0: found, index }) => [
    text.slice(0, index),
    text.slice(index + found.length),
  ]).flatMap(([server = '', tool = '']) => (server === '' || tool === '' ? [] : [`${server}__${tool}`]));
}
