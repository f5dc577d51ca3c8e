// Imported first: later imports get this stub of `vscode`.
import { workspaceStub } from '../unit/review/editor/editorStub';
import { readFileSync, writeFileSync } from 'node:fs';

/** Files as editors of VS Code open, change and save them, in all encodings. */

/** By VS Code's names; the labels are those of the Encoding Standard. */
export const ENCODINGS: Readonly<Record<string, string>> = {
  utf8: 'utf-8',
  utf8bom: 'utf-8',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
  windows1252: 'windows-1252',
  windows1251: 'windows-1251',
  iso88592: 'iso-8859-2',
  koi8r: 'koi8-r',
};

const MARKS = { utf8bom: [0xef, 0xbb, 0xbf], utf16le: [0xff, 0xfe], utf16be: [0xfe, 0xff] } as const;

/** What runs before a file is saved: formatters and settings. */
export const PARTICIPANTS = {
  nothing: (text: string) => text,
  'a final newline': (text: string) => (text.endsWith('\n') ? text : `${text}\n`),
  'no final newlines': (text: string) => text.replace(/\n+$/, ''),
  'no blanks at ends of lines': (text: string) => text.replaceAll(/[ \t]+(?=\r?\n|$)/g, ''),
  'no changed word': (text: string) => text.replace('changed_w0rd', 'formatted'),
} as const;

interface Change {
  readonly range: { readonly from: number; readonly end: number };
  readonly text: string;
}

type Listener = (event: { readonly document: EditorFile; readonly contentChanges: readonly object[] }) => void;

const listeners = new Set<Listener>();
const open: EditorFile[] = [];

/** The settings of the window. */
export const settings: { encoding: string; participant: keyof typeof PARTICIPANTS } = {
  encoding: 'utf8',
  participant: 'nothing',
};

/** A text document. */
export class EditorFile {
  readonly uri: { readonly scheme: 'file'; readonly fsPath: string };
  readonly isClosed = false;
  encoding = '';
  eol = 1;
  isDirty = false;
  version = 1;
  #text = '';
  #disk: Buffer = Buffer.alloc(0);

  /** @throws Error as VS Code for a binary file */
  constructor(fsPath: string) {
    this.uri = { scheme: 'file', fsPath };
    this.#load(readFileSync(fsPath));
  }

  getText(): string {
    return this.#text;
  }

  positionAt(offset: number): number {
    return offset;
  }

  apply({ range: { from, end }, text }: Change): void {
    // A document has one sort of line ends.
    this.#setText(this.#text.slice(0, from) + text + this.#text.slice(end));
    this.isDirty = true;
  }

  async save(): Promise<boolean> {
    this.#setText(PARTICIPANTS[settings.participant](this.#text));
    this.#disk = encode(this.#text, this.encoding);
    writeFileSync(this.uri.fsPath, this.#disk);
    this.isDirty = false;
    return true;
  }

  revert(): void {
    this.#load(readFileSync(this.uri.fsPath));
    this.isDirty = false;
  }

  /** As VS Code notices that another program has written the file; it does not show a binary one. */
  reload(): void {
    if (this.isDirty || readFileSync(this.uri.fsPath).equals(this.#disk)) return;
    try {
      this.revert();
    } catch {
      // The old text stays.
    }
  }

  #load(bytes: Buffer): void {
    const [marked] = Object.entries(MARKS).find(([, mark]) => bytes.indexOf(Buffer.from(mark)) === 0) ?? [];
    const set = settings.encoding === 'utf8bom' ? 'utf8' : settings.encoding;
    const encoding = marked ?? set;
    if (!encoding.startsWith('utf16') && bytes.subarray(0, 512).includes(0)) throw new Error('File seems to be binary');
    const text = decode(bytes, encoding);
    const [all, withReturn] = [/\r\n|\r|\n/g, /\r\n?/g].map((ends) => text.match(ends)?.length ?? 0);
    this.encoding = encoding;
    this.eol = (withReturn ?? 0) > (all ?? 0) / 2 ? 2 : 1;
    this.#disk = bytes;
    this.#setText(text);
  }

  #setText(text: string): void {
    const plain = text.replaceAll(/\r\n|\r|\n/g, this.eol === 2 ? '\r\n' : '\n');
    if (plain === this.#text) return;
    this.#text = plain;
    this.version++;
    for (const listener of listeners) listener({ document: this, contentChanges: [{}] });
  }
}

/** Opens a file in an editor, if it is a text. */
export function openEditor(fsPath: string): EditorFile | undefined {
  try {
    const file = new EditorFile(fsPath);
    open.push(file);
    return file;
  } catch {
    return undefined;
  }
}

export function closeEditors(): void {
  open.length = 0;
}

/** Replaces the stub's workspace. @returns what takes it back */
export function stubWorkspace(): () => void {
  const workspace = workspaceStub as Record<string, unknown>;
  const usual = { ...workspace };
  const named = ({ encoding = settings.encoding }: { encoding?: string }): string => encoding;
  Object.assign(workspace, {
    textDocuments: open,
    encode: async (text: string, options: { encoding?: string }) => encode(text, named(options)),
    decode: async (bytes: Uint8Array, options: { encoding?: string }) => decode(bytes, named(options)),
    getConfiguration: () => ({ get: () => settings.encoding }),
    openTextDocument: async ({ fsPath }: { fsPath: string }) => {
      const found = open.find(({ uri }) => uri.fsPath === fsPath);
      if (found) return found;
      const file = new EditorFile(fsPath);
      open.push(file);
      return file;
    },
    applyEdit: async ({ changes }: { changes: readonly Change[] }) => {
      for (const change of changes) open[0]?.apply(change);
      return true;
    },
    onDidChangeTextDocument: (listener: Listener) => {
      listeners.add(listener);
      setImmediate(() => open[0]?.reload());
      return { dispose: () => listeners.delete(listener) };
    },
  });
  return () => {
    for (const key of Object.keys(workspace)) delete workspace[key];
    Object.assign(workspace, usual);
  };
}

/** As VS Code: another character in place of wrong bytes; a mark at the start is not part of the text. */
export function decode(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(ENCODINGS[encoding]).decode(bytes);
}

/** As VS Code: with the mark of the encoding. */
export function encode(given: string, encoding: string): Buffer {
  const mark = (MARKS as Readonly<Record<string, readonly number[]>>)[encoding] ?? [];
  return Buffer.concat([Buffer.from(mark), encodeBody(given, encoding)]);
}

/** As VS Code: `?` for a character that the encoding lacks. */
export function encodeBody(given: string, encoding: string): Buffer {
  if (encoding.startsWith('utf8')) return Buffer.from(given);
  const low = Buffer.from(given, 'utf16le');
  if (encoding === 'utf16le') return low;
  if (encoding === 'utf16be') return low.swap16();
  const table = tableOf(encoding);
  return Buffer.from(Array.from(given, (char) => table.get(char) ?? 0x3f));
}

const tables = new Map<string, ReadonlyMap<string, number>>();

function tableOf(encoding: string): ReadonlyMap<string, number> {
  const decoder = new TextDecoder(ENCODINGS[encoding]);
  const table =
    tables.get(encoding) ??
    new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
  tables.set(encoding, table);
  return table;
}
