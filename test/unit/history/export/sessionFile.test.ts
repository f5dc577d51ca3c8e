import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Redactor } from '../../../../src/base/redactor';
import { asFinished, asFinishedTerminal } from '../../../../src/history/export/finishedEntry';
import type { Imported } from '../../../../src/history/export/sessionFile';
import { readSessionFile, writeSessionFile } from '../../../../src/history/export/sessionFile';
import { entryMarkdown, sessionMarkdown, turnMarkdown } from '../../../../src/history/export/sessionMarkdown';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { Entry, SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { anySession } from './sample';

const NOW = Date.UTC(2026, 10, 21);
const TEXTS = { path: '/w/a.ts', oldText: 'old', newText: 'new' };

function write(state: SessionState, redactor = new Redactor()): string {
  return writeSessionFile({ state, title: 'A title', diff: () => TEXTS }, redactor, '1.2.3', NOW);
}

function stateOf({ actions }: Imported): SessionState {
  return actions.reduce(reduce, emptySession('imported'));
}

const entriesOf = (state: SessionState): Entry[] => Array.from(entriesFrom(state.entries), ([, entry]) => entry);
const stateWith = (...actions: Action[]): SessionState => actions.reduce(reduce, emptySession('one'));

describe('a session as a JSON file', function () {
  it('is imported with the same entries, terminals, plan and diffs; running work is marked as ended', () => {
    fc.assert(
      fc.property(anySession, (state) => {
        // Texts that are not secrets must stay: these are random and may look like one.
        const redactor = new (class extends Redactor {
          override value(value: unknown): unknown {
            return value;
          }
        })();
        const imported = readSessionFile(write(state, redactor), 'file.json');
        const after = stateOf(imported);
        const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
        assert.deepEqual(json(entriesOf(after)), json(entriesOf(state).map(asFinished)));
        assert.deepEqual(
          json(Object.values(after.terminals)),
          json(Object.values(state.terminals).map(asFinishedTerminal)),
        );
        assert.deepEqual(json(after.plan), json(state.plan));
        assert.deepEqual(after.agent, state.agent);
        assert.equal(after.agentSession, undefined);
        assert.deepEqual(after.imported, { file: 'file.json', exportedAt: NOW });
        assert.deepEqual([after.turn, after.waiting], [{ status: 'idle' }, []]);
      }),
    );
  });

  it('contains the folder of the session, which an import ignores', () => {
    const text = write(stateWith({ type: 'folderChosen', folder: '/w/packages/app' }));
    assert.equal((JSON.parse(text) as { folder?: unknown }).folder, '/w/packages/app');
    assert.equal(stateOf(readSessionFile(text, 'f')).folder, undefined);
    assert.throws(() => readSessionFile(text.replace('"/w/packages/app"', '7'), 'f'), /folder: expected/);
  });

  it('contains no secrets in inputs, output and messages, and keeps images unchanged', () => {
    const redactor = new Redactor();
    redactor.add(['hunter2hunter2']);
    const data = Buffer.from('hunter2hunter2 Bearer abcdefghijklmnopqrstuvwxyz').toString('base64');
    const state = stateWith(
      {
        type: 'promptSent',
        text: 'my key is hunter2hunter2',
        blocks: [{ type: 'image', data, mimeType: 'image/png' }],
        at: 1,
      },
      { type: 'terminalCreated', terminalId: 't', command: 'env', at: 1 },
      { type: 'terminalOutput', terminalId: 't', data: 'TOKEN=hunter2hunter2\n' },
      {
        type: 'toolStarted',
        toolCallId: 'a',
        patch: { rawInput: { env: { KEY: 'anything' }, apiKey: 'short' } },
        at: 2,
      },
    );
    const text = write(state, redactor);
    assert.ok(!text.includes('hunter2'));
    assert.ok(!text.includes('anything') && !text.includes('"short"'));
    assert.ok(text.includes(data));
    assert.equal(entriesOf(stateOf(readSessionFile(text, 'f')))[0]?.kind, 'user');
  });

  it('contains the whole texts of diffs, also those in child sessions', () => {
    const diff = { type: 'diff', path: 'a', label: 'a', isNew: false, added: 0, removed: 0, hunks: [] } as const;
    const start = (diffId: string): Action => ({
      type: 'toolStarted',
      toolCallId: diffId,
      patch: { content: [{ ...diff, diffId }] },
      at: 1,
    });
    const state = stateWith(
      start('mine'),
      { type: 'subagentStarted', sessionId: 'c', patch: {}, at: 1 },
      { type: 'subagentActed', entry: 1, action: start('childs') },
    );
    const { diffs } = readSessionFile(write(state), 'f');
    assert.deepEqual([...diffs.keys()], ['mine', 'childs']);
    assert.deepEqual(diffs.get('mine'), TEXTS);
  });

  it('keeps an entry of an unknown kind as raw data', () => {
    const file = JSON.parse(write(stateWith({ type: 'promptSent', text: 'x', blocks: [], at: 1 }))) as Record<
      string,
      unknown
    >;
    file['entries'] = [{ kind: 'hologram', at: 5, beams: 3 }];
    const [entry] = entriesOf(stateOf(readSessionFile(JSON.stringify(file), 'f')));
    assert.deepEqual(entry, { kind: 'raw', label: 'hologram', value: { kind: 'hologram', at: 5, beams: 3 }, at: 5 });
  });

  describe('that is invalid', () => {
    const good = (): Record<string, unknown> =>
      JSON.parse(write(stateWith({ type: 'promptSent', text: 'x', blocks: [], at: 1 }))) as Record<string, unknown>;
    const refusesText = (text: string, message: RegExp): void =>
      assert.throws(() => readSessionFile(text, 'f'), message);
    const refuses = (fields: Record<string, unknown>, message: RegExp): void =>
      refusesText(JSON.stringify({ ...good(), ...fields }), message);

    it('is rejected with the position and the expected value', () => {
      refusesText('', /The file is not valid JSON/);
      refusesText('[]', /format: expected "parley-session", got a list/);
      refuses({ format: 'zip' }, /format: expected "parley-session", got the string "zip"/);
      refuses({ version: 2 }, /exported by a newer version of Parley \(format 2\)/);
      refuses({ version: '1' }, /version: expected 1, got the string "1"/);
      refuses({ title: undefined }, /title: expected a string, got undefined/);
      refuses({ entries: {} }, /entries: expected a list, got an object/);
      refuses({ entries: [{ kind: 'user', text: 5 }] }, /entries\[0\]\.text: expected a string, got the number 5/);
      refuses({ entries: [{ kind: 7 }] }, /entries\[0\]\.kind: expected "user"/);
      refuses({ terminals: { '': {} } }, /terminals: expected an ID/);
    });

    it('is rejected for a time that no calendar has', () => {
      const user = { kind: 'user', text: 'x', blocks: [] };
      for (const at of [8.65e15, -8.65e15, 1e300]) {
        refuses({ entries: [{ ...user, at }] }, /entries\[0\]\.at: expected a timestamp in milliseconds since 1970/);
      }
      const agent = { kind: 'agent', text: 'x', blocks: [], at: 1, endedAt: 9e15 };
      refuses({ entries: [agent] }, /entries\[0\]\.endedAt: expected a time/);
      const terminal = { terminalId: 't', command: 'x', output: '', truncated: false, startedAt: 9e15 };
      refuses({ terminals: { t: terminal } }, /terminals\.t\.startedAt: expected a time/);
      const file = JSON.stringify({ ...good(), entries: [{ kind: 'hologram', at: 1e300 }] });
      assert.equal(entriesOf(stateOf(readSessionFile(file, 'f')))[0]?.at, 0);
    });

    it('is rejected for properties of Object.prototype, unknown entries, or cycles', () => {
      const written = JSON.stringify(good());
      refusesText(written.replace('"terminals":{}', '"terminals":{"__proto__":{}}'), /an ID/);
      const permission = { kind: 'permission', permissionId: 'p', tool: 9, title: 't', options: [], at: 1 };
      refuses({ entries: [permission] }, /entries\[0\]\.tool: expected the index of an entry, got the number 9/);
      const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
      const entry = `"entries":[{"kind":"raw","label":"x","at":1,"value":${deep}}]`;
      refusesText(
        JSON.stringify({ ...good(), entries: [] }).replace('"entries":[]', entry),
        /a less deeply nested value/,
      );
      let child: unknown = { entries: [], terminals: {}, plan: [], plans: [] };
      for (let at = 0; at < 20; at++) {
        const entry = { kind: 'subagent', sessionId: 's', canStop: false, child, at: 1 };
        child = { entries: [entry], terminals: {}, plan: [], plans: [] };
      }
      refuses({ entries: (child as { entries: unknown }).entries }, /no deeper nested session/);
    });

    it('is rejected with a message only', () => {
      fc.assert(
        fc.property(
          fc.jsonValue(),
          fc.constantFrom('entries', 'terminals', 'plan', 'plans', 'diffs', 'agent', 'usage'),
          (value, field) => {
            try {
              readSessionFile(JSON.stringify({ ...good(), [field]: value }), 'f');
            } catch (error) {
              assert.ok(error instanceof Error && error.name === 'ParleyError', String(error));
            }
          },
        ),
      );
    });
  });
});

describe('a session as Markdown', function () {
  it('contains speakers, tools with input, diff and output, and the plan', () => {
    const state = stateWith(
      { type: 'promptSent', text: 'Fix it', blocks: [{ type: 'image', data: 'QUJD', mimeType: 'image/png' }], at: 1 },
      { type: 'textAppended', role: 'thought', text: 'Hm.', at: 2 },
      { type: 'terminalCreated', terminalId: 't', command: 'npm test', at: 2 },
      { type: 'terminalOutput', terminalId: 't', data: '\u001b[31mred\u001b[0m\r\n10 %\r100 %\r\n' },
      { type: 'terminalExited', terminalId: 't', code: 1, at: 3 },
      {
        type: 'toolStarted',
        toolCallId: 'a',
        patch: {
          title: 'Edit a.ts',
          status: 'done',
          rawInput: { path: 'a.ts' },
          locations: [{ path: '/w/a.ts', label: 'a.ts', line: 3 }],
          content: [
            {
              type: 'diff',
              diffId: 'd',
              path: '/w/a.ts',
              label: 'a.ts',
              isNew: false,
              added: 1,
              removed: 1,
              hunks: [
                {
                  oldStart: 1,
                  newStart: 1,
                  lines: [
                    { type: 'removed', text: 'a' },
                    { type: 'added', text: '```b' },
                  ],
                },
              ],
            },
            { type: 'terminal', terminalId: 't' },
          ],
        },
        at: 3,
      },
      { type: 'planChanged', items: [{ content: 'One', priority: 'high', status: 'completed' }] },
      { type: 'textAppended', role: 'agent', text: 'Done.', at: 4 },
    );
    assert.equal(
      sessionMarkdown(state, 'Fix\nit', ['Agent: Fake']),
      `# Fix it

- Agent: Fake

## You

Fix it

![Image](data:image/png;base64,QUJD)

<details>
<summary>Thought</summary>

Hm.

</details>

### Tool: Edit a.ts (Done)

- \`a.ts:3\`

<details>
<summary>Input</summary>

\`\`\`json
{
  "path": "a.ts"
}
\`\`\`

</details>

\`a.ts\`

\`\`\`\`diff
--- a.ts
+++ a.ts
@@ -1 +1 @@
-a
+\`\`\`b
\`\`\`\`

\`\`\`console
$ npm test
red
100 %
\`\`\`

Exit code 1

## Agent

Done.

## Plan

- [x] One
`,
    );
  });

  it('contains one entry, or the turn of an entry', () => {
    const said = (text: string, at: number): Action[] => [
      { type: 'promptSent', text, blocks: [], at },
      { type: 'textAppended', role: 'agent', text: `${text}!`, at },
      { type: 'turnEnded', stopReason: 'end_turn', at },
    ];
    const state = stateWith(...said('one', 1), ...said('two', 2));
    assert.equal(entryMarkdown(state, 1), '## Agent\n\none!\n');
    assert.equal(entryMarkdown(state, 9), undefined);
    assert.equal(turnMarkdown(state, 1), '## You\n\none\n\n## Agent\n\none!\n');
    assert.equal(turnMarkdown(state, 2), '## You\n\ntwo\n\n## Agent\n\ntwo!\n');
  });

  it('is valid for any session, with every fence closed', () => {
    fc.assert(
      fc.property(anySession, (state) => {
        const text = sessionMarkdown(state, 'T', []);
        assert.equal(text.split('<details>').length, text.split('</details>').length);
      }),
    );
  });
});
