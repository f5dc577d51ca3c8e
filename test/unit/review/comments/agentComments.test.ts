// Imported first: later imports get this stub of `vscode`.
import type { StubThread } from './commentsStub';
import { contextKeys, documentOf, events, inputBox, texts, threads, uriOf } from './commentsStub';
import assert from 'node:assert/strict';
import type { Uri } from 'vscode';
import { Emitter } from '../../../../src/base/event';
import { AgentComments } from '../../../../src/review/comments/agentComments';
import type { CommentLocation } from '../../../../src/review/comments/commentLocation';
import type { Sessions } from '../../../../src/session/sessions';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { stubOf } from '../../../kit/stubOf';
import { nextOf } from '../../../kit/waiting';

const [A, B] = [uriOf('/work/a.ts'), uriOf('/work/b.ts')];
const C = uriOf('/work/packages/a/src/c.ts');
const TEXT = Array.from({ length: 10 }, (_, at) => `line ${at + 1}`);

describe('comments to the agent', () => {
  const sent: string[] = [];
  const warned: string[] = [];
  let stored: Map<string, unknown>;
  let comments: AgentComments;
  let refuses = false;
  let cwd: string;

  const open = (): AgentComments =>
    new AgentComments(
      (target) => target as CommentLocation | undefined,
      {
        compose: async (text) => {
          if (refuses) throw new Error('no chat');
          sent.push(text);
        },
        showNotice: (notice) => void warned.push(notice?.text ?? ''),
      },
      stubOf<Sessions>({
        get active() {
          return { cwd };
        },
      }),
      new MemoryMemento(stored),
    );

  beforeEach(() => {
    sent.length = warned.length = threads.length = 0;
    refuses = false;
    cwd = '/work';
    stored = new Map();
    for (const uri of [A, B]) texts.set(uri.toString(), TEXT);
    comments = open();
  });

  afterEach(() => comments.dispose());

  async function type(uri: typeof A, line: number, text: string | undefined): Promise<void> {
    inputBox.show = async () => text;
    await comments.commands.commentToAgent({ uri, first: line, last: line });
  }

  async function write(uri: typeof A, line: number, first: string, ...words: string[]): Promise<StubThread> {
    await type(uri, line, first);
    const thread = threads.at(-1);
    assert.ok(thread);
    for (const text of words) await comments.commands.addComment({ thread, text });
    return thread;
  }

  const bodies = (thread: StubThread): string[] => thread.comments.map(({ body }) => body);

  it('are sent in one message with files, lines and quoted text, and then removed', async () => {
    await write(B, 8, 'Last.');
    await write(A, 3, 'Why?', 'Tell me.');
    const thread = await write(A, 5, 'And this.');
    assert.equal(comments.count, 4);
    assert.deepEqual([...comments.linesIn(stubOf<Uri>(A))], [3, 5]);
    assert.equal(contextKeys.get('parley.hasComments'), true);
    await comments.commands.sendComments({ thread, text: 'Not added yet.' });
    assert.deepEqual(sent, [
      'a.ts:4\n> line 4\nWhy?\nTell me.\n\na.ts:6\n> line 6\nAnd this.\nNot added yet.\n\nb.ts:9\n> line 9\nLast.',
    ]);
    assert.deepEqual([comments.count, contextKeys.get('parley.hasComments')], [0, false]);
    assert.ok(threads.every(({ isDisposed }) => isDisposed));
    await comments.commands.sendComments();
    assert.deepEqual([sent.length, warned], [1, ['There are no comments to send.']]);
  });

  it('are typed in an input box that opens at once, and stand where their lines are then', async () => {
    const typed = new Emitter<string>();
    const prompts: unknown[] = [];
    inputBox.show = (prompt) => {
      prompts.push(prompt);
      return nextOf(typed.event);
    };
    const written = comments.commands.commentToAgent({ uri: A, first: 3, last: 4 });
    // Before anything that takes time.
    assert.deepEqual([prompts, threads], [['a.ts:4-5'], []]);
    await new Promise(setImmediate);
    texts.set(A.toString(), ['new', ...TEXT]);
    typed.fire('Why?');
    await written;
    await comments.commands.sendComments();
    assert.deepEqual(sent, ['a.ts:5-6\n> line 4\n> line 5\nWhy?']);
    for (const text of [undefined, ' ']) await type(A, 3, text);
    assert.deepEqual([threads.length, comments.count], [1, 0]);
  });

  it('name files relative to the agent’s folder, and others by their full path', async () => {
    cwd = '/work/packages/a';
    await write(A, 3, 'Why?');
    texts.set(C.toString(), TEXT);
    await write(C, 3, 'And here?');
    await comments.commands.sendComments();
    assert.deepEqual(sent[0]?.match(/^\S+:\d+$/gm), ['/work/a.ts:4', 'src/c.ts:4']);
  });

  it('stay if they could not be sent', async () => {
    const thread = await write(A, 3, 'Why?');
    refuses = true;
    await assert.rejects(comments.commands.sendComments());
    assert.deepEqual([comments.count, thread.isDisposed], [1, false]);
  });

  it('move with edits above, and with changes to a closed file', async () => {
    const [first, second] = [await write(A, 3, 'Why?'), await write(B, 3, 'And here?')];
    texts.set(A.toString(), ['new', ...TEXT]);
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    events.changed.fire({ document: documentOf(A), contentChanges: [{ range, text: 'new\n' }] });
    assert.equal(first.range.start.line, 4);
    texts.set(B.toString(), TEXT.slice(2));
    await comments.commands.sendComments();
    assert.equal(second.range.start.line, 1);
    assert.deepEqual(sent, ['a.ts:5\n> line 4\nWhy?\n\nb.ts:2\n> line 4\nAnd here?']);
  });

  it('quote the current text after an edit of the line itself', async () => {
    await write(A, 3, 'Why?');
    texts.set(A.toString(), TEXT.with(3, 'line four'));
    const range = { start: { line: 3, character: 5 }, end: { line: 3, character: 6 } };
    events.changed.fire({ document: documentOf(A), contentChanges: [{ range, text: 'four' }] });
    await comments.commands.sendComments();
    assert.deepEqual(sent, ['a.ts:4\n> line four\nWhy?']);
  });

  it('can be changed and deleted', async () => {
    const thread = await write(A, 3, 'one', 'two');
    const [one, two] = thread.comments;
    assert.ok(one && two);
    await comments.commands.editComment(one);
    assert.equal(one.mode, 0);
    one.body = 'typed';
    await comments.commands.cancelComment(one);
    assert.deepEqual([bodies(thread), one.mode], [['one', 'two'], 1]);
    one.body = 'changed';
    await comments.commands.saveComment(one);
    await comments.commands.deleteComment(two);
    assert.deepEqual([bodies(thread), thread.isDisposed], [['changed'], false]);
    await comments.commands.deleteComment(one);
    assert.deepEqual([thread.isDisposed, comments.count], [true, 0]);
    const other = await write(A, 3, 'three');
    await comments.commands.deleteComment(other);
    assert.equal(other.isDisposed, true);
  });

  it('are limited in number and length, and must not be blank', async () => {
    const thread = await write(A, 3, 'x'.repeat(20_000), ' \n', ...Array.from({ length: 19 }, () => 'more'));
    assert.deepEqual([bodies(thread)[0]?.length, comments.count, thread.canReply], [10_000, 20, false]);
    texts.set(
      B.toString(),
      Array.from({ length: 60 }, (_, at) => `line ${at + 1}`),
    );
    for (let at = 1; at < 50; at++) await write(B, at, 'one');
    const full = 'There are already 69 comments. Send them first.';
    await type(A, 1, 'one too many');
    await type(A, 3, 'one too many');
    assert.deepEqual([threads.length, comments.count, warned], [50, 69, [full, full]]);
  });

  it('survive a reload, and are added to the existing thread', async () => {
    await write(A, 3, 'Why?');
    comments.dispose();
    threads.length = 0;
    comments = open();
    assert.deepEqual(threads.map(bodies), [['Why?']]);
    await write(A, 3, 'Tell me.');
    assert.deepEqual(threads.map(bodies), [['Why?', 'Tell me.']]);
    stored.set('parley.comments', [{ uri: 7 }]);
    comments.dispose();
    comments = open();
    assert.equal(comments.count, 0);
  });

  it('require a file', async () => {
    await comments.commands.commentToAgent();
    assert.match(warned[0] ?? '', /Open a file/);
  });
});
