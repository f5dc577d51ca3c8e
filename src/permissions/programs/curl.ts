import type { ReadWords } from './options';
import { readWords } from './options';
import type { OutsideEffect } from './program';

/** What the words of curl send and read. */

export const CURL_OPTIONS =
  '-sSfLiIvGgN46 X: H: d: A: e: m: o> u: b< r: T< request: header: data: data-raw: data-urlencode: json: user-agent: referer: max-time: output> user: range: silent show-error fail fail-with-body location include head verbose get compressed connect-timeout: retry: retry-delay: url< http1.1 http2 no-progress-meter no-buffer ipv4 ipv6';

/** curl replaces `#1` in file names by `{a,b}` and `[1-9]` of a URL; before `:` these hide `file:`. */
export function curlPatterns(argv: readonly string[], { operands, values }: ReadWords): readonly number[] {
  // The path in a file address is decoded.
  const hides = (text: string): boolean => /^[^:/]*[[{]|^file:.*[%[{]/i.test(text);
  return [
    ...operands.filter((index) => hides(argv[index] ?? '')),
    ...values.flatMap(({ kind, text, indices: [at = 0] }) =>
      (kind === 'read' && hides(text)) || (kind === 'write' && /#\d/.test(text)) ? [at] : [],
    ),
  ];
}

export function curlEffect(argv: readonly string[]): { why: OutsideEffect } | undefined {
  if (sendsData(argv)) return { why: 'sends' };
  return readsMetadata(argv) ? { why: 'showsSecrets' } : undefined;
}

const LOCAL = /^(?:https?:\/\/)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)(?::\d*)?(?:[/?#]|$)/i;
/** Options of curl that send data. */
const DATA_OPTIONS = ['d', 'data', 'data-raw', 'data-urlencode', 'json', 'T'];

/** GET requests only read; a server on this machine may get anything. */
function sendsData(argv: readonly string[]): boolean {
  const { given, operands, values } = readWords(argv, { options: CURL_OPTIONS });
  const urls = values.filter(({ indices: [at = 0] }) => /^--url(?:=|$)/.test(argv[at] ?? '')).map(({ text }) => text);
  const all = [...operands.map((index) => argv[index] ?? ''), ...urls];
  const isMethod = values.some(
    ({ indices: [at = 0], text }) =>
      /^-[a-zA-Z]*X|^--request(?:=|$)/.test(argv[at] ?? '') && !/^(?:GET|HEAD|OPTIONS)$/i.test(text),
  );
  const isFile = values.some(
    ({ indices: [at = 0], text }) =>
      (/^-[a-zA-Z]*H|^--header(?:=|$)/.test(argv[at] ?? '') && text.startsWith('@')) ||
      (/^-[a-zA-Z]*b/.test(argv[at] ?? '') && !text.includes('=')),
  );
  // Other schemes carry data in the address: "gopher://", "dict://", "telnet://".
  if (all.some((url) => /^(?!https?:|ftps?:|file:)[a-z][a-z\d+.-]*:\/\//i.test(url))) return true;
  const isSent = isMethod || isFile || DATA_OPTIONS.some((option) => given.has(option));
  return isSent && !all.every((url) => LOCAL.test(url));
}

/** The service of a cloud that gives its machines their credentials. */
function readsMetadata([, ...words]: readonly string[]): boolean {
  return words.some((word) =>
    /(?:^|[/=@])(?:169\.254\.\d|metadata\.google\.|\[fd00:ec2:|100\.100\.100\.200)/i.test(word),
  );
}
