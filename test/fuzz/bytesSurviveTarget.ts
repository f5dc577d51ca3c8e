// Imported first: later imports get this stub of `vscode`.
import { workspaceStub } from '../unit/review/editor/editorStub';
import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type * as vscode from 'vscode';
import { targetOf } from '../../src/client/fs/writeTextFile';
import { encodeText, readTextForm } from '../../src/workbench/textForm';
import type { Target } from './target';
import { anyInput } from './target';

/** By VS Code's names; the labels are those of the Encoding Standard. */
const ENCODINGS: Readonly<Record<string, string>> = {
  utf8: 'utf-8',
  utf8bom: 'utf-8',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
  windows1252: 'windows-1252',
  windows1251: 'windows-1251',
  iso88592: 'iso-8859-2',
  koi8r: 'koi8-r',
};
const MARKS = [[], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]] as const;
const [WORD, OTHER] = ['w0rd', 'changed_w0rd'] as const;

interface Input {
  readonly mark: readonly number[];
  readonly before: Buffer;
  readonly after: Buffer;
  /** Of the word, and of texts around it. */
  readonly encoding: string;
  /** What VS Code is set to, and opens the file as. */
  readonly shownAs: string;
  /** The agent knows only `\n`. */
  readonly isPlain: boolean;
}

const shown = fc.constantFrom(...Object.keys(ENCODINGS));
const text = fc
  .array(
    fc.constantFrom('a', ' ', 'é', 'ß', 'ж', '日本', '🙂', '“', '\t', '\n', '\r\n', '\r', '\uFEFF', '\u2028', '\u0085'),
  )
  .map((parts) => parts.join(''));

const input: fc.Arbitrary<Input> = shown.chain((encoding) => {
  const encoded = text.map((each) => encode(each, encoding));
  const around = fc.oneof(
    { weight: 4, arbitrary: encoded },
    fc.uint8Array({ maxLength: 12 }).map((each) => Buffer.from(each)),
  );
  return fc.record({
    mark: fc.constantFrom(...MARKS),
    before: around,
    after: around,
    encoding: fc.constant(encoding),
    shownAs: fc.oneof(fc.constant(encoding), shown),
    isPlain: fc.boolean(),
  });
});

/** An agent reads a file of any bytes, changes a word, and writes: only this word changes on disk, or nothing does. */
export class BytesSurviveTarget implements Target {
  readonly name = 'bytes survive';
  readonly batch = 200;
  #restore: (() => void) | undefined;

  property(): ReturnType<Target['property']> {
    return anyInput(fc.asyncProperty(input, survives));
  }

  async open(): Promise<void> {
    const workspace = workspaceStub as Record<string, unknown>;
    const usual = { ...workspace };
    this.#restore = () => {
      for (const key of ['encode', 'decode', 'getConfiguration', 'openTextDocument']) workspace[key] = usual[key];
    };
    const byName = ({ encoding = 'utf8' }: { encoding?: string }): string => encoding;
    workspace['encode'] = async (given: string, options: { encoding?: string }) => encode(given, byName(options));
    workspace['decode'] = async (bytes: Uint8Array, options: { encoding?: string }) => decode(bytes, byName(options));
    workspace['getConfiguration'] = () => ({ get: () => setting });
    workspace['openTextDocument'] = async () => ({ encoding: setting });
  }

  async close(): Promise<void> {
    this.#restore?.();
  }
}

/** `files.encoding`, and what VS Code opens files as. */
let setting = 'utf8';

async function survives({ mark, before, after, encoding, shownAs, isPlain }: Input): Promise<void> {
  setting = shownAs;
  const bytes = (word: string): Buffer => Buffer.concat([Buffer.from(mark), before, encode(word, encoding), after]);
  const form = await readTextForm(bytes(WORD), {} as vscode.Uri);
  // Refused.
  if (!form || form.text.split(WORD).length !== 2) return;
  const changed = form.text.replace(WORD, OTHER);
  const content = isPlain ? changed.replaceAll(/\r\n|\r/g, '\n') : changed;
  const target = targetOf({ sessionId: '', path: '', content }, form, form.text);
  const written = await encodeText(target.text, target.form);
  if (written) assert.equal(written.toString('hex'), bytes(OTHER).toString('hex'));
}

/** As VS Code: another character in place of wrong bytes; a mark at the start is not part of the text. */
function decode(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(ENCODINGS[encoding]).decode(bytes);
}

/** As VS Code: `?` for a character that the encoding lacks. */
function encode(given: string, encoding: string): Buffer {
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
