/** Values in a string that is written in another format than JSON. Pure, in linear time. */

/** The values of XML, of fields of one per line (YAML, TOML, INI), of a query and of encoded text. Others are prose or code. */
export function embeddedValues(text: string): readonly string[] {
  const trimmed = text.trim();
  const decoded = decodedText(trimmed);
  if (decoded !== undefined) return [decoded];
  const found = trimmed.startsWith('<') ? xmlValues(trimmed) : (queryValues(trimmed) ?? fieldValues(text));
  const whole = /&#?\w{2,8};/.test(trimmed) && !/\s/.test(trimmed) ? [withoutEntities(trimmed)] : [];
  return [...new Set([...found.map(plainValue).filter(isName), ...whole])];
}

/** Values without quotes of an object or list in the syntax of YAML or JavaScript. */
export function flowValues(text: string): readonly string[] {
  const items = text.split(/[,{}[\]\r\n]/).map((item) => item.replace(/^[^:=]{0,200}(?::\s|\s=\s)/, '').trim());
  return [...new Set(items.map(plainValue).filter(isName))];
}

/** A value may be a name; prose and comments are none. */
function isName(value: string): boolean {
  return (
    value !== '' &&
    !/^\/[/*]/.test(value) &&
    (!/\s/.test(value) || /^(?:[\\/~]|\.{1,2}[\\/]|[A-Za-z]:[\\/])/.test(value))
  );
}

function plainValue(value: string): string {
  // Without tags and anchors of YAML: `!!str x`, `&x x`.
  return value
    .trim()
    .replace(/^(?:[!&]\S*\s+){1,2}/, '')
    .replace(/^(["'])(.*)\1$/s, '$2');
}

/** Attributes with addresses of web pages. */
const WEB = /(?:^|[\s:])(?:href|src|srcset|action|content|class|style|d|xmlns(?::\w+)?)$/i;

const HTML =
  /<(?:!doctype|html|head|body|div|p|span|[uo]l|li|table|h[1-6]|section|main|nav|svg|img|br|script|style)\b/i;

/** Texts between tags, and values of attributes. */
function xmlValues(text: string): readonly string[] {
  const isHtml = HTML.test(text);
  const plain = text.replaceAll('<![CDATA[', '').replaceAll(']]>', '');
  const texts = plain.split('<').map((part) => part.slice(part.indexOf('>') + 1));
  const values = Array.from(plain.matchAll(/=\s*(?:"([^"]*)"|'([^']*)')/g), ({ index, 1: one, 2: other }) =>
    isHtml && WEB.test(plain.slice(Math.max(0, index - 20), index).trimEnd()) ? '' : (one ?? other ?? ''),
  );
  return [...texts, ...values].map(withoutEntities);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  sol: '/',
  period: '.',
};

function withoutEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi,
    (whole, decimal?: string, hex?: string, name = '') => {
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : (ENTITIES[name] ?? whole);
    },
  );
}

/** A field, a list item, a section, a comment, or the mark of a document. */
const FIELD_LINE = /^(?:(?:- +)?["']?[\w.-]+["']?\s*(?::(?:\s|$)|=)|[-?:] |[#;[]|---|\.\.\.)/;
const FIELD = /^\s*(?:- +)?["']?[\w.-]+["']?\s*(?::\s|=)(.*)$/;

/** The values of a text whose lines, as far as they are not indented, are fields. */
function fieldValues(text: string): readonly string[] {
  const lines = text.replaceAll(LONG_STRING, '= "$2"').split(/\r?\n/);
  if (!lines.every((line) => line === '' || /^\s/.test(line) || FIELD_LINE.test(line))) return [];
  return lines
    .flatMap((line, at) => valueOf(line) ?? lonelyLine(lines, at))
    .map(withoutComment)
    .flatMap((value) => (/^\s*[{[]/.test(value) ? flowValues(value) : value));
}

/** A string of TOML with three quotes, and one line. */
const LONG_STRING = /=[ \t]?("""|''')\r?\n?([^\r\n]{0,500}?)\r?\n?\1/g;

function valueOf(line: string): string | undefined {
  return FIELD.exec(line)?.[1] ?? /^\s*[-?] (.*)$/.exec(line)?.[1];
}

/** The only line of a value that starts after its field: `path: >` or `path:`. */
function lonelyLine(lines: readonly string[], at: number): readonly string[] {
  const [before, line = '', after = ''] = [valueOf(lines[at - 1] ?? ''), lines[at], lines[at + 1]];
  const isLonely = before !== undefined && /^\s*(?:[>|][-+\d]{0,2})?\s*$/.test(before) && valueOf(after) !== '';
  return isLonely && (!/^\s+\S/.test(after) || valueOf(after) !== undefined) ? [line] : [];
}

function withoutComment(value: string): string {
  return value.replace(/\s#[^]*$/, '');
}

/** `a=1&b=2` */
function queryValues(text: string): readonly string[] | undefined {
  if (!/^\??[\w.-]+=[^\s&]*(?:&[\w.-]+=[^\s&]*)+$/.test(text)) return undefined;
  return text.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
}

const MIN_ENCODED = 8;

/** The readable text in a data URL, or in Base64 or hexadecimal digits; undefined for other text. */
function decodedText(text: string): string | undefined {
  const [head = ''] = /^(?:data:[^,]{0,200},|base64:)/i.exec(text) ?? [];
  const body = text.slice(head.length);
  if (head !== '' && !/base64[,:]$/i.test(head)) return body;
  if (body.length < MIN_ENCODED || !/^[\w+/-]+={0,2}$/.test(body)) return undefined;
  const isHex = body.length % 2 === 0 && /^[\da-f]+$/i.test(body);
  return [isHex ? ('hex' as const) : [], 'base64' as const]
    .flat()
    .map((encoding) => Buffer.from(body, encoding).toString('utf8'))
    .filter((decoded) => !/[^\t\r\n\P{C}]|\ufffd/u.test(decoded))
    .find((decoded) => /[./\\~{\s]/.test(decoded) || decodedText(decoded) !== undefined);
}
