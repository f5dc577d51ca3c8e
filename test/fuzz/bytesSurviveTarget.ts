// Imported first: later imports get this stub of `vscode`.
import {
  ENCODINGS,
  PARTICIPANTS,
  closeEditors,
  decode,
  encodeBody,
  openEditor,
  settings,
  stubWorkspace,
} from './editorFileStub';
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { RpcError } from '../../src/base/jsonRpc';
import { nullLogger } from '../../src/base/logger';
import { LastSeenContents } from '../../src/client/fs/lastSeenContents';
import { OwnEdits } from '../../src/client/fs/ownEdits';
import { readTextFile } from '../../src/client/fs/readTextFile';
import type { WriteContext } from '../../src/client/fs/writeTextFile';
import { writeTextFile } from '../../src/client/fs/writeTextFile';
import type { SessionHandle } from '../../src/session/sessionHandle';
import { stubOf } from '../kit/stubOf';
import type { Target } from './target';
import { anyInput } from './target';

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
  /** What an editor shows of the file. */
  readonly shows: 'nothing' | 'its text' | 'an older text';
  /** What VS Code does before it saves. */
  readonly participant: keyof typeof PARTICIPANTS;
}

const shown = fc.constantFrom(...Object.keys(ENCODINGS));
const text = fc
  .array(
    fc.constantFrom('a', ' ', 'é', 'ß', 'ж', '日本', '🙂', '“', '\t', '\n', '\r\n', '\r', '\uFEFF', '\u2028', '\u0085'),
  )
  .map((parts) => parts.join(''));

const input: fc.Arbitrary<Input> = shown.chain((encoding) => {
  const encoded = text.map((each) => encodeBody(each, encoding));
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
    shows: fc.constantFrom('nothing', 'its text', 'an older text'),
    participant: fc.constantFrom(...(Object.keys(PARTICIPANTS) as (keyof typeof PARTICIPANTS)[])),
  });
});

/** An agent reads a file of any bytes, changes a word, and writes: only this word changes on disk, or nothing does. */
export class BytesSurviveTarget implements Target {
  readonly name = 'bytes survive';
  readonly batch = 200;
  #restore: (() => void) | undefined;
  #folder = '';

  property(): ReturnType<Target['property']> {
    return anyInput(fc.asyncProperty(input, (one) => survives(this.#folder, one)));
  }

  async open(): Promise<void> {
    this.#folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-bytes-')));
    this.#restore = stubWorkspace();
  }

  async close(): Promise<void> {
    this.#restore?.();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function contextIn(folder: string): WriteContext {
  const session = stubOf<SessionHandle>({
    id: 's',
    folders: [folder],
    userRequests: { authorize: async () => ({ allowed: true, by: 'person', reason: '' }) },
    dispatch: () => undefined,
  });
  return {
    session,
    lastSeen: new LastSeenContents(),
    log: nullLogger,
    signal: new AbortController().signal,
    ownEdits: new OwnEdits(),
  };
}

/** Undefined if it is refused. */
async function allowed<T>(work: Promise<T>): Promise<{ readonly result: T } | undefined> {
  try {
    return { result: await work };
  } catch (error) {
    assert.ok(error instanceof RpcError, String(error));
    return undefined;
  }
}

async function survives(folder: string, one: Input): Promise<void> {
  const { mark, before, after, encoding, shownAs, isPlain, shows, participant } = one;
  Object.assign(settings, { encoding: shownAs, participant });
  const bytes = (word: string): Buffer => Buffer.concat([Buffer.from(mark), before, encodeBody(word, encoding), after]);
  const path = join(folder, 'a.txt');
  writeFileSync(path, shows === 'an older text' ? 'older' : bytes(WORD));
  try {
    const editor = shows === 'nothing' ? undefined : openEditor(path);
    writeFileSync(path, bytes(WORD));
    const context = contextIn(folder);
    const params = { sessionId: 's', path };
    const read = await allowed(readTextFile(params, context.session, context.lastSeen, context.signal));
    if (!read || read.result.content.split(WORD).length !== 2) return;
    const changed = read.result.content.replace(WORD, OTHER);
    const content = isPlain ? changed.replaceAll(/\r\n|\r/g, '\n') : changed;
    const isWritten = await allowed(writeTextFile({ ...params, content }, context));
    assert.equal(readFileSync(path).toString('hex'), bytes(isWritten ? OTHER : WORD).toString('hex'));
    assert.equal(editor?.isDirty ?? false, false, 'the editor has no unsaved text');
    await survivesAsNew(join(folder, 'new.txt'), content, context);
  } finally {
    closeEditors();
    if (existsSync(path)) rmSync(path);
  }
}

/** A new file has the whole text in the encoding of the settings, or is not there. */
async function survivesAsNew(path: string, content: string, context: WriteContext): Promise<void> {
  try {
    const isWritten = await allowed(writeTextFile({ sessionId: 's', path, content }, context));
    assert.equal(existsSync(path), isWritten !== undefined);
    if (!isWritten) return;
    const found = readFileSync(path);
    const texts = [found.toString(), decode(found, settings.encoding)].map((text) => text.replace(/^\uFEFF/, ''));
    assert.ok(texts.includes(content.replace(/^\uFEFF/, '')), 'the text is read as it was written');
  } finally {
    rmSync(path, { force: true });
  }
}
