import { isUtf8 } from 'node:buffer';
import * as vscode from 'vscode';
import { waitForReload } from './textDocuments';
import { withEol } from './textEdits';
import { readWorkspaceFile } from './workspaceFiles';

/** The content of a text file: its text, and what turns it into the same bytes again. */
export interface TextForm {
  /** With its own line ends, without byte order mark. */
  readonly text: string;
  /** As VS Code names it, but `utf8` also with a byte order mark. */
  readonly encoding: string;
  /** The byte order mark; empty without one. */
  readonly mark: Buffer;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const MARKS: readonly (readonly [encoding: string, mark: Buffer])[] = [
  ['utf8', UTF8_MARK],
  ['utf16le', Buffer.from([0xff, 0xfe])],
  ['utf16be', Buffer.from([0xfe, 0xff])],
];
export const MARK = '\uFEFF';
/** Bytes in which VS Code looks for a zero, which only binary files and UTF-16 have. */
const BINARY_PROBE = 512;
/** Bytes of a file on disk; VS Code opens no larger text. */
const MAX_SAVED = 64 * 1024 * 1024;

/**
 * The text of a file by its byte order mark, the encoding in its editor, the settings, or a guess: the first that gives the same bytes
 * again. Undefined if none does: the text would not survive a save.
 * @param document the file, if it is open
 * @throws Error of VS Code for a binary file
 */
export async function readTextForm(
  bytes: Uint8Array,
  uri: vscode.Uri,
  document?: vscode.TextDocument,
): Promise<TextForm | undefined> {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [marked, mark = Buffer.alloc(0)] = MARKS.find(([, each]) => content.indexOf(each) === 0) ?? [];
  const body = content.subarray(mark.length);
  const encoding = marked ?? (await encodingOf(body, uri, document));
  for (const each of new Set([encoding, ...(marked === undefined && isWestern(body) ? ['windows1252'] : [])])) {
    const text = await decodeBody(body, each);
    if (text !== undefined && (await encodeBody(text, each)).equals(body)) return { text, encoding: each, mark };
  }
  return undefined;
}

/** The bytes of a text; undefined if the encoding lacks a character of it. A mark at its start gives a byte order mark. */
export async function encodeText(
  text: string,
  { encoding, mark }: Omit<TextForm, 'text'>,
): Promise<Buffer | undefined> {
  const isMarked = text.startsWith(MARK) && isUnicode(encoding);
  const plain = isMarked ? text.slice(1) : text;
  const body = await encodeBody(plain, encoding);
  if ((await decodeBody(body, encoding)) !== plain) return undefined;
  const start = isMarked ? (MARKS.find(([each]) => each === encoding)?.[1] ?? mark) : mark;
  return start.length > 0 ? Buffer.concat([start, body]) : body;
}

/** Without a byte order mark that is part of the text. */
export function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(1) : text;
}

/** The bytes of a new file by the settings; undefined if their encoding lacks a character of the text. */
export async function encodeNewText(text: string, uri: vscode.Uri): Promise<Buffer | undefined> {
  const plain = withoutMark(text);
  const bytes = Buffer.from(await vscode.workspace.encode(plain, { uri }));
  if (bytes.equals(Buffer.from(plain))) return Buffer.from(text);
  if ((await vscode.workspace.decode(bytes, { uri })) === plain) return bytes;
  const encoding = configuredEncoding(uri);
  return (await vscode.workspace.decode(bytes, { encoding })) === plain ? bytes : undefined;
}

/** The form of a document whose file is missing. */
export function formOfDocument(document: vscode.TextDocument): TextForm {
  const encoding = plainEncoding(document.encoding);
  const mark = document.encoding === 'utf8' ? undefined : MARKS.find(([each]) => each === encoding)?.[1];
  return { text: document.getText(), encoding, mark: mark ?? Buffer.alloc(0) };
}

/** The bytes that VS Code saves. */
export async function encodeDocument(document: vscode.TextDocument, text = document.getText()): Promise<Buffer> {
  if (document.encoding === 'utf8') return Buffer.from(text);
  return Buffer.from(await vscode.workspace.encode(text, { encoding: document.encoding }));
}

/** Whether a save would change only what is edited: not so with mixed line ends, and with bytes that the encoding lacks. */
export async function isSavedExactly(document: vscode.TextDocument): Promise<boolean> {
  const disk = await readWorkspaceFile(document.uri, MAX_SAVED);
  const text = withEol(await vscode.workspace.decode(disk, { encoding: document.encoding }), '\n');
  await waitForReload(document, () => withEol(document.getText(), '\n') === text);
  return document.isDirty || (await encodeDocument(document)).equals(disk);
}

/** Whether a document shows and saves the file by the same encoding as `form`. */
export function hasEncoding(document: vscode.TextDocument, form: TextForm): boolean {
  return plainEncoding(document.encoding) === form.encoding;
}

async function encodingOf(body: Buffer, uri: vscode.Uri, document: vscode.TextDocument | undefined): Promise<string> {
  if (document) return plainEncoding(document.encoding);
  const isPlain = isUtf8(body) && !body.subarray(0, BINARY_PROBE).includes(0);
  if (isPlain && plainEncoding(configuredEncoding(uri)) === 'utf8') return 'utf8';
  // Only a document tells what VS Code makes of settings by language, of its guess, and of UTF-16 without a mark.
  return plainEncoding((await vscode.workspace.openTextDocument(uri)).encoding);
}

function configuredEncoding(uri: vscode.Uri): string {
  return vscode.workspace.getConfiguration('files', uri).get('encoding', 'utf8');
}

function plainEncoding(encoding: string): string {
  return encoding === 'utf8bom' ? 'utf8' : encoding;
}

function isUnicode(encoding: string): boolean {
  return MARKS.some(([each]) => each === encoding);
}

async function decodeBody(body: Buffer, encoding: string): Promise<string | undefined> {
  // VS Code puts another character in place of each wrong byte.
  return encoding === 'utf8' && !isUtf8(body) ? undefined : vscode.workspace.decode(body, { encoding });
}

async function encodeBody(text: string, encoding: string): Promise<Buffer> {
  if (encoding === 'utf8') return Buffer.from(text);
  const bytes = Buffer.from(await vscode.workspace.encode(text, { encoding }));
  const mark = MARKS.find(([each]) => each === encoding)?.[1];
  return mark && bytes.indexOf(mark) === 0 ? bytes.subarray(mark.length) : bytes;
}

/** Letters, signs and quotation marks of Windows-1252; the other bytes below 0xa0 begin characters of Asian encodings. */
const WESTERN = /^[\0-\x7f\x80\x85\x8a\x8c\x8e\x91-\x97\x99\x9a\x9c\x9e-\xff]*$/;
/** Words of other alphabets, characters of several bytes, and such of UTF-8. */
const FOREIGN =
  /[\xc0-\xff]{3}|[\x80-\xff]{4}|\xc3[\x80-\xbf]|\xe2[\x80-\x8f]|[\xc4-\xf4][\x80-\x9f\xa1-\xba\xbc-\xbf]/;

/**
 * Guesses that a file which is not UTF-8 has the encoding of Western Europe, where letters with accents stand alone. UTF-8 with a wrong byte
 * has characters of several bytes.
 */
function isWestern(body: Buffer): boolean {
  if (isUtf8(body) || body.subarray(0, BINARY_PROBE).includes(0)) return false;
  const bytes = body.toString('latin1');
  return WESTERN.test(bytes) && !FOREIGN.test(bytes);
}
