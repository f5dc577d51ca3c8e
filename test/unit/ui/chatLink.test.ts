import { asked, resetAsked } from './permissions/askStub';
import assert from 'node:assert/strict';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type * as vscode from 'vscode';
import { nullLogger } from '../../../src/base/logger';
import { MAX_PROMPT, linkRemarks, parseChatLink } from '../../../src/ui/chatLink';
import { ChatLinkHandler } from '../../../src/ui/chatLinkHandler';
import type { ChatLocation, Chat, UiSettings } from '../../../src/ui/window';
import { fakeAgent } from '../../fakeAgent/definition';
import { anyText } from '../../fuzz/anyText';
import { stubOf } from '../../kit/stubOf';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { FakeSession, FakeSessions } from './fakes';

function link(query: string) {
  const read = parseChatLink({ path: '/new', query });
  assert.ok('link' in read, JSON.stringify(read));
  return read.link;
}

function problem(path: string, query = ''): string {
  const read = parseChatLink({ path, query });
  assert.ok('problem' in read, JSON.stringify(read));
  return read.problem;
}

describe('ui/chatLink', () => {
  it('reads known parameters and ignores others', () => {
    assert.deepEqual(link('prompt=Fix it&agent=Claude&folder=/ws&send=true&command=evil&__proto__=x'), {
      prompt: 'Fix it',
      agent: 'Claude',
      folder: '/ws',
    });
    assert.deepEqual(link(''), { prompt: '' });
    assert.deepEqual(link('prompt=&agent= &folder='), { prompt: '' });
    assert.deepEqual(link('prompt=first&prompt=second'), { prompt: 'first' });
  });

  it('keeps “&”, “=”, “+” and “%” of a text that VS Code has already decoded', () => {
    assert.equal(link('prompt=a & b, x=1 && y, C++, 100%25&agent=A').prompt, 'a & b, x=1 && y, C++, 100%25');
  });

  it('escapes hidden characters and keeps the lines', () => {
    assert.equal(
      link('prompt=one\r\ntwo\u202e\u200b\u0000\u{e0041}\tend').prompt,
      'one\ntwo\\u{202e}\\u{200b}\\u{0}\\u{e0041}\tend',
    );
  });

  it('rejects a text that is too long, without truncating it', () => {
    assert.equal(link(`prompt=${'x'.repeat(MAX_PROMPT)}`).prompt.length, MAX_PROMPT);
    assert.equal(
      problem('/new', `prompt=${'x'.repeat(MAX_PROMPT + 1)}`),
      'The prompt in this link is too long (16,001 characters; the limit is 16,000). The message box was not changed.',
    );
    // The displayed text counts: here each character becomes eight.
    assert.match(problem('/new', `prompt=${'\u202e'.repeat(MAX_PROMPT / 4)}.`), /too long/);
    assert.deepEqual(link(`agent=${'x'.repeat(1_001)}&folder=${'x'.repeat(1_001)}`), { prompt: '' });
  });

  it('accepts one path only', () => {
    for (const path of ['', '/', '/New', '/new/', '/new/x', '/command:evil', '/../new', '//host/new', '/\u202enew']) {
      assert.match(problem(path, 'prompt=x'), /^Parley does not support links to “.*”\. Use “\/new”\.$/);
    }
    assert.match(problem('/\u202ewen'), /“\/\\u\{202e\}wen”/);
    assert.ok(problem(`/${'x'.repeat(10_000)}`).length < 300);
  });

  it('accepts any link without an error, and returns no hidden characters', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 200 }), anyText(), (query, path) => {
        parseChatLink({ path, query });
        const { prompt } = link(query);
        // oxlint-disable-next-line no-control-regex -- the pattern searches for them
        assert.doesNotMatch(prompt, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]/);
      }),
    );
  });

  it('explains which parts of a link are not possible', () => {
    const wanted = { prompt: '', agent: 'X\u202e', folder: '/other' };
    assert.deepEqual(linkRemarks(wanted, { hasAgent: false, hasFolder: false }), [
      'The link requests the agent “X\\u{202e}”, but this agent is not available.',
      'The link requests the folder /other, but this folder is not open in this window.',
    ]);
    assert.deepEqual(linkRemarks(wanted, { hasAgent: true, hasFolder: true }), []);
    assert.deepEqual(linkRemarks({ prompt: '' }, { hasAgent: false, hasFolder: false }), []);
  });
});

describe('ui/chatLinkHandler', () => {
  const mine = { ...fakeAgent(), name: 'mine', title: 'Mine' };
  const theirs = {
    ...mine,
    name: 'Tool (workspace)',
    workspace: { name: 'Tool', location: 'this workspace', written: {} },
  };
  beforeEach(resetAsked);

  async function open(query: string, path = '/new', folders?: string[]) {
    const session = Object.assign(new FakeSession('one'), folders && { folders });
    const sessions = new FakeSessions([session]);
    const filled: unknown[][] = [];
    const handler = new ChatLinkHandler(
      sessions,
      nullLogger,
      stubOf<UiSettings>({ agents: () => [mine, theirs] }),
      stubOf<Chat>({
        fill: async (target, ...rest) => void filled.push([target.id, ...rest]),
        open: async (target) => {
          filled.push(['shown', target.id]);
          return stubOf<ChatLocation>({});
        },
      }),
    );
    await handler.handleUri({ path, query } as vscode.Uri);
    return { session: session.calls, sessions: sessions.calls, filled };
  }

  it('fills a new chat and does nothing else', async () => {
    assert.deepEqual(await open('prompt=Explain this'), {
      session: [],
      sessions: [['newChat', undefined]],
      filled: [['one', 'Explain this', []]],
    });
  });

  it('only shows the session of a notification, and nothing for an unknown one', async () => {
    assert.deepEqual(await open('id=one&windowId=3&prompt=x&agent=Mine', '/session'), {
      session: [],
      sessions: [],
      filled: [['shown', 'one']],
    });
    for (const query of ['id=gone', '']) assert.deepEqual((await open(query, '/session')).filled, [], query);
    assert.deepEqual((await open('id=../../etc/passwd', '/session')).sessions, []);
  });

  it('selects the agent without starting it', async () => {
    assert.deepEqual((await open('prompt=x&agent=Mine')).session, [['nameAgent', 'mine']]);
    assert.deepEqual((await open('prompt=x&agent=Tool')).session, [['nameAgent', 'Tool (workspace)']]);
    const { session, filled } = await open('prompt=x&agent=nobody&folder=/elsewhere');
    assert.deepEqual(session, []);
    assert.deepEqual(filled, [
      [
        'one',
        'x',
        [
          'The link requests the agent “nobody”, but this agent is not available.',
          'The link requests the folder /elsewhere, but this folder is not open in this window.',
        ],
      ],
    ]);
  });

  it('sets the folder of the chat only to a folder of the workspace', async () => {
    const root = temporaryFolder();
    await mkdir(join(root, 'app', 'packages'), { recursive: true });
    await mkdir(join(root, 'secret'));
    await symlink(join(root, 'secret'), join(root, 'app', 'out'));
    const folders = [join(root, 'app')];
    const inside = await open(`folder=${join(root, 'app', 'packages')}/`, '/new', folders);
    assert.deepEqual(inside.session, [['setFolder', join(root, 'app', 'packages')]]);
    assert.deepEqual(inside.filled, [['one', '', []]]);
    for (const folder of [
      root,
      `${root}/app/../secret`,
      `${root}/app/out`,
      `${root}/app/missing`,
      'packages',
      '//host/share',
    ]) {
      const refused = await open(`folder=${folder}`, '/new', folders);
      assert.deepEqual(refused.session, [], folder);
      assert.match(JSON.stringify(refused.filled), /this folder is not open in this window/, folder);
    }
    await rm(root, { recursive: true });
  });

  it('reports an unsupported link without making it clickable', async () => {
    const { sessions, filled } = await open('prompt=x', '/run[now](command:evil)');
    assert.deepEqual([sessions, filled], [[], []]);
    assert.equal(asked.length, 1);
    assert.match('message' in asked[0]! ? asked[0].message : '', /“\/run\[now\] \(command:evil\)”/);
  });
});
