import assert from 'node:assert/strict';
import {
  answerRequest,
  optionsOfKind,
  requestText,
  pendingRequestAt,
  pendingRequests,
} from '../../../src/ui/pendingRequests';
import { FakeSession, FakeSessions, allowAlways, allowOnce, rejectOnce } from './fakes';

const options = [allowOnce, allowAlways, rejectOnce];

function textOf(tool: Parameters<FakeSession['ask']>[1], more: Parameters<FakeSession['ask']>[3] = {}) {
  const session = new FakeSession('one');
  const request = pendingRequestAt(session, session.ask(options, tool, undefined, more));
  assert.ok(request);
  return requestText(session, request.permission);
}

describe('ui/pendingRequests', () => {
  it('lists pending requests, those of the active session first', () => {
    const [one, two] = [new FakeSession('one'), new FakeSession('two')];
    const sessions = new FakeSessions([one, two]);
    const a = one.ask(options);
    const b = two.ask(options);
    sessions.activate(two);
    const waiting = pendingRequests(sessions).map(({ session, entry }) => [session.id, entry]);
    assert.deepEqual(waiting, [
      ['two', b],
      ['one', a],
    ]);
  });

  it('accepts one answer only', () => {
    const session = new FakeSession('one');
    const request = pendingRequestAt(session, session.ask(options));
    assert.ok(request);
    assert.equal(answerRequest(request, allowOnce), true);
    assert.equal(answerRequest(request, rejectOnce), false);
    assert.deepEqual(session.calls, [['answer', request.permission.permissionId, 'a1']]);
  });

  it('does not answer a request that the end of the turn has canceled', () => {
    const session = new FakeSession('one');
    const request = pendingRequestAt(session, session.ask(options));
    assert.ok(request);
    session.dispatch({ type: 'turnEnded', stopReason: 'cancelled', at: 9 });
    assert.equal(answerRequest(request, allowOnce), false);
    assert.deepEqual(session.calls, []);
  });

  it('finds the options of a kind in the agent’s order', () => {
    const session = new FakeSession('one');
    const second = { ...allowOnce, optionId: 'a9', name: 'Allow in folder' };
    const request = pendingRequestAt(session, session.ask([second, rejectOnce, allowOnce]));
    assert.ok(request);
    assert.deepEqual(optionsOfKind(request.permission, ['allow_once']), [second, allowOnce]);
    assert.deepEqual(optionsOfKind(request.permission, ['allow_always']), []);
    assert.deepEqual(optionsOfKind(request.permission, ['reject_always', 'reject_once']), [rejectOnce]);
  });

  it('describes the requested action', () => {
    assert.deepEqual(textOf({ title: 'Run', rawInput: { command: 'npm test' } }), {
      agent: 'Fake',
      title: 'Run',
      detail: 'npm test',
      summary: 'npm test',
      lines: ['Run', 'npm test'],
      isPartial: false,
    });
    assert.equal(
      textOf({ title: 'Run', rawInput: { command: ['git', 'commit', '-m', 'a b'] } }).detail,
      'git commit -m "a b"',
    );
    assert.equal(textOf({ title: 'Run', rawInput: { command: 'ls', args: ['-l'] } }).detail, 'ls -l');
    assert.equal(textOf({ title: 'npm test', rawInput: { command: 'npm test' } }).detail, undefined);
    assert.equal(textOf({ title: 'Ask', rawInput: { url: 'x' } }).detail, '{"url":"x"}');
  });

  it('describes the start of a long action, of which only the card shows all', () => {
    for (const rawInput of [{ content: 'x'.repeat(200_000) }, { command: `echo ${'x'.repeat(200_000)}` }]) {
      const { detail = '', summary = '', lines, isPartial } = textOf({ title: 'Run', rawInput });
      assert.ok(isPartial);
      for (const text of [detail, summary, lines.join('')]) assert.ok(text.length > 40_000 && text.length < 60_000);
    }
  });

  it('describes a request that is more than one action by its whole input', () => {
    const rawInput = { command: 'ls', cmd: 'rm -rf src' };
    assert.equal(textOf({ title: 'Run', rawInput }, { showsInput: true }).detail, JSON.stringify(rawInput));
  });

  it('names files only if they are all arguments', () => {
    const locations = [{ path: '/work/a.md', label: 'a.md' }];
    const detailOf = (rawInput: unknown): string | undefined => textOf({ title: 'Save', rawInput, locations }).detail;
    assert.equal(detailOf({ path: '/work/a.md' }), 'a.md');
    assert.equal(detailOf(undefined), 'a.md');
    assert.equal(detailOf({ path: '/work/a.md', disk: 1 }), '{"path":"/work/a.md","disk":1}');
    assert.equal(detailOf('wipe'), '"wipe"; a.md');
    const from = { path: '/work/b.md', label: 'b.md' };
    const rawInput = { to: '/work/a.md', from: '/work/b.md' };
    assert.equal(
      textOf({ title: 'Copy', rawInput, locations: [...locations, from] }).detail,
      JSON.stringify(rawInput),
      'only the names say which is which',
    );
  });

  it('shows the change beside a word that is the name of an edit, and no command', () => {
    const lines = [{ type: 'added', text: '"postinstall": "x"' }] as const;
    const counts = { isNew: false, added: 1, removed: 0, hunks: [{ oldStart: 1, newStart: 1, lines }] };
    const diff = { type: 'diff', diffId: 'd', path: '/work/package.json', label: 'package.json', ...counts } as const;
    const rawInput = { command: 'view', path: '/work/package.json' };
    const edit = { title: 'Look', tool: 'edit', rawInput, content: [diff] } as const;
    assert.equal(textOf(edit).detail, 'package.json: + "postinstall": "x"');
    const read = { title: 'Look', tool: 'read', rawInput: { ...rawInput, other: 1 } } as const;
    assert.equal(textOf(read).detail, JSON.stringify(read.rawInput));
  });

  it('names the folder of a command, unless it is that of the session', () => {
    const detailOf = (cwd: string) => textOf({ title: 'Run', rawInput: { command: 'rm -r x', cwd } }).detail;
    assert.equal(detailOf('/opt'), 'rm -r x in /opt');
    assert.equal(detailOf('/work space'), 'rm -r x');
  });

  it('shows the changed lines of files, other places, and the text of a plan', () => {
    const lines = [
      { type: 'same', text: '{' },
      { type: 'removed', text: '}' },
      { type: 'added', text: '"x": 1 }' },
    ] as const;
    const hunks = [{ oldStart: 1, newStart: 1, lines }];
    const counts = { isNew: false, added: 1, removed: 1, hunks };
    const diff = { type: 'diff', diffId: 'd', path: '/work/a.json', label: 'a.json', ...counts } as const;
    const locations = [
      { path: '/work/a.json', label: 'a.json' },
      { path: '/opt/b', label: '/opt/b' },
    ];
    const edit = { title: 'Edit', content: [diff], locations, rawInput: { path: '/work/a.json', text: 'x' } };
    assert.equal(textOf(edit).detail, 'a.json: − } ⏎ + "x": 1 }; /opt/b');
    assert.deepEqual(
      [edit, { content: [{ ...diff, coarse: true }] }, { content: [{ ...diff, omitted: 1 }] }].map(
        (tool) => textOf(tool).isPartial,
      ),
      [false, true, true],
    );
    const partial = textOf({ content: [{ ...diff, omitted: 1 }] });
    assert.equal(partial.detail, 'a.json: +1 −1', 'not some of the lines');
    const plan = { type: 'block', block: { type: 'text', text: 'Delete all.' } } as const;
    assert.equal(textOf({ title: 'Ready?', tool: 'switch_mode', content: [plan] }).detail, 'Delete all.');
    const image = { type: 'block', block: { type: 'image', data: '', mimeType: 'image/png' } } as const;
    assert.equal(textOf({ content: [image] }).isPartial, true);
  });

  it('names the path of a change once, and can count its lines', () => {
    const lines = [{ type: 'added', text: 'x' }] as const;
    const counts = { isNew: false, added: 1, removed: 0, hunks: [{ oldStart: 1, newStart: 1, lines }] };
    const diff = { type: 'diff', diffId: 'd', path: '/work/src/a.ts', label: 'src/a.ts', ...counts } as const;
    const textsOf = (title: string): readonly unknown[] => {
      const { detail, summary } = textOf({ title, content: [diff] });
      return [detail, summary];
    };
    assert.deepEqual(textsOf('Edit src/a.ts'), ['+ x', '+1 −0']);
    assert.deepEqual(textsOf('Edit `src/a.ts`'), ['+ x', '+1 −0']);
    assert.deepEqual(textsOf('Edit other/src/a.ts'), ['src/a.ts: + x', 'src/a.ts: +1 −0']);
    assert.deepEqual(textsOf('Read b.ts like src/a.ts'), ['src/a.ts: + x', 'src/a.ts: +1 −0']);
  });

  it('escapes hidden and misleading characters', () => {
    const { title, detail } = textOf({ title: 'Safe\u202e', rawInput: { command: 'echo hi\nrm -rf ~\u0007' } });
    assert.equal(title, 'Safe\\u{202e}');
    assert.equal(detail, 'echo hi ⏎ rm -rf ~\\u{7}');
  });
});
