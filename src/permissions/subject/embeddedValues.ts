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
  const items = text.split(/[,{}[\]\r\n]/).map((item) => item.slice(item.search(/:\s/) + 1).trim());
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
  return value.trim().replace(/^(["'])(.*)\1$/s, '$2');
}

/** Attributes with addresses of web pages. */
const WEB = /(?:^|[\s:])(?:href|src|srcset|action|content|class|style|d|xmlns(?::\w+)?)$/i;

/** Texts between tags, and values of attributes. */
function xmlValues(text: string): readonly string[] {
  const plain = text.replaceAll('<![CDATA[', '').replaceAll(']]>', '');
  const texts = plain.split('<').map((part) => part.slice(part.indexOf('>') + 1));
  const values = Array.from(plain.matchAll(/=\s*(?:"([^"]*)"|'([^']*)')/g), ({ index, 1: one, 2: other }) =>
    WEB.test(plain.slice(Math.max(0, index - 20), index).trimEnd()) ? '' : (one ?? other ?? ''),
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
const FIELD_LINE = /^(?:(?:- +)?["']?[\w.-]+["']?\s*(?::(?:\s|$)|=)|- |[#;[]|---|\.\.\.)/;
const FIELD = /^\s*(?:- +)?["']?[\w.-]+["']?\s*(?::\s|=)(.*)$/;

/** The values of a text whose lines, as far as they are not indented, are fields. */
function fieldValues(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (!lines.every((line) => line === '' || /^\s/.test(line) || FIELD_LINE.test(line))) return [];
  return lines.flatMap((line) => FIELD.exec(line)?.[1] ?? /^\s*- (.*)$/.exec(line)?.[1] ?? []).map(withoutComment);
}

function withoutComment(value: string): string {
  return value.replace(/\s#.*$/, '');
}

/** `a=1&b=2` */
function queryValues(text: string): readonly string[] | undefined {
  if (!/^\??[\w.-]+=[^\s&]*(?:&[\w.-]+=[^\s&]*)+$/.test(text)) return undefined;
  return text.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
}

const MIN_ENCODED = 8;

/** The readable text in a data URL, or in Base64 or hexadecimal digits; undefined for other text. */
function decodedText(text: string): string | undefined {
  const [head = ''] = /^data:[^,]{0,200},/i.exec(text) ?? [];
  const body = text.slice(head.length);
  if (head !== '' && !/;base64,$/i.test(head)) return body;
  if (body.length < MIN_ENCODED || !/^[\w+/-]+={0,2}$/.test(body)) return undefined;
  const isHex = body.length % 2 === 0 && /^[\da-f]+$/i.test(body);
  return [isHex ? ('hex' as const) : [], 'base64' as const]
    .flat()
    .map((encoding) => Buffer.from(body, encoding).toString('utf8'))
    .find((decoded) => /[./\\~{]/.test(decoded) && !/[^\t\r\n\P{C}]|\ufffd/u.test(decoded));
}
