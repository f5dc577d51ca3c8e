import fc from 'fast-check';
import type { Block, ToolContent } from '../../../../src/shared/state/contentBlocks';
import { reduceImport } from '../../../../src/shared/state/importedSession';
import { emptySession } from '../../../../src/shared/state/sessionState';
import type { Entry, SessionState } from '../../../../src/shared/state/sessionState';
import type { Terminal } from '../../../../src/shared/state/terminalState';

/** Entries of every kind in a session. */

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('```js\nx\n```', '<b>', 'a `code` b', '# head', '日本🙂', '](x)', '$(x)'),
);
const at = fc.nat();
const id = fc.string({ minLength: 1 }).filter((value) => !(value in {}));
/** A record whose fields of the second type are optional. */
const maybe = <T extends object, O extends object>(
  required: { [K in keyof T]: fc.Arbitrary<T[K]> },
  more: { [K in keyof O]: fc.Arbitrary<O[K]> },
): fc.Arbitrary<T & Partial<O>> =>
  fc
    .tuple(fc.record(required), fc.record(more, { requiredKeys: [] }))
    .map(([all, some]) => ({ ...all, ...some }) as T & Partial<O>);

const base64 = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const mimeType = fc.constantFrom('image/png', 'text/plain');

const origin = fc.record({ server: text, uri: text });

const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  maybe({ type: fc.constant('image' as const), data: base64, mimeType }, { uri: text }),
  fc.record({ type: fc.constant('audio' as const), data: base64, mimeType }),
  maybe({ type: fc.constant('link' as const), uri: text, name: text }, { title: text, size: at, mimeType }),
  maybe({ type: fc.constant('resource' as const), uri: text }, { text, blob: base64, mimeType, origin }),
  fc.record({ type: fc.constant('raw' as const), value: fc.jsonValue() }),
);

const diffLine = maybe(
  { type: fc.constantFrom('same' as const, 'added' as const, 'removed' as const), text },
  { marks: fc.array(fc.tuple(at, at), { maxLength: 2 }) },
);

const toolContent: fc.Arbitrary<ToolContent> = fc.oneof(
  fc.record({ type: fc.constant('block' as const), block }),
  fc.record({ type: fc.constant('terminal' as const), terminalId: fc.constantFrom('t1', 't2', 'gone') }),
  fc.record({ type: fc.constant('raw' as const), value: fc.jsonValue() }),
  maybe(
    {
      type: fc.constant('diff' as const),
      diffId: fc.constantFrom('d1', 'd2'),
      path: text,
      label: text,
      isNew: fc.boolean(),
      added: at,
      removed: at,
      hunks: fc.array(fc.record({ oldStart: at, newStart: at, lines: fc.array(diffLine, { maxLength: 3 }) }), {
        maxLength: 2,
      }),
    },
    { coarse: fc.boolean(), omitted: at },
  ),
);

const option = fc.record({
  optionId: text,
  name: text,
  kind: fc.constantFrom('allow_once' as const, 'reject_once' as const, 'other' as const),
});
const outcome = fc.oneof(
  maybe(
    { type: fc.constant('selected' as const), optionId: text },
    { by: fc.constantFrom('person' as const, 'rule' as const), reason: text },
  ),
  fc.record({ type: fc.constant('canceled' as const), reason: text }),
);
const blocks = fc.array(block, { maxLength: 3 });
const expansion = fc.record({ name: text, label: text, path: text, text });

const simple: fc.Arbitrary<Entry> = fc.oneof(
  maybe({ kind: fc.constant('user' as const), text, blocks, at }, { expansion, messageId: text }),
  maybe(
    { kind: fc.constantFrom('agent' as const, 'thought' as const), text, blocks, at },
    { messageId: text, endedAt: at },
  ),
  maybe(
    {
      kind: fc.constant('tool' as const),
      toolCallId: text,
      title: text,
      tool: fc.constantFrom('read' as const, 'edit' as const, 'execute' as const, 'other' as const),
      status: fc.constantFrom('pending' as const, 'running' as const, 'done' as const, 'rejected' as const),
      waiting: fc.constantFrom(0, 1),
      content: fc.array(toolContent, { maxLength: 3 }),
      locations: fc.array(maybe({ path: text, label: text }, { line: at }), { maxLength: 2 }),
      at,
    },
    { rawInput: fc.jsonValue(), rawOutput: fc.jsonValue(), endedAt: at },
  ),
  maybe(
    {
      kind: fc.constant('permission' as const),
      permissionId: text,
      tool: fc.constant(0),
      title: text,
      options: fc.array(option, { maxLength: 3 }),
      at,
    },
    { why: text, destructive: text, outcome, answeredAt: at },
  ),
  maybe(
    {
      kind: fc.constant('notice' as const),
      severity: fc.constantFrom('info' as const, 'error' as const),
      title: text,
      at,
    },
    { text },
  ),
  maybe(
    {
      kind: fc.constant('error' as const),
      message: text,
      remedies: fc.subarray(['retry' as const, 'restart' as const]),
      at,
    },
    { detail: text },
  ),
  fc.record({ kind: fc.constant('raw' as const), label: text, value: fc.jsonValue(), at }),
  maybe(
    {
      kind: fc.constant('elicitation' as const),
      elicitationId: text,
      agent: text,
      message: text,
      question: fc.oneof(
        fc.record({ mode: fc.constant('url' as const), url: text, host: text }),
        fc.record({
          mode: fc.constant('form' as const),
          fields: fc.array(
            maybe(
              { key: text, label: text, required: fc.boolean(), type: fc.constant('text' as const) },
              { initial: text },
            ),
            { maxLength: 2 },
          ),
        }),
      ),
      at,
    },
    { outcome: fc.constantFrom({ type: 'accepted' as const }, { type: 'declined' as const }), completed: fc.boolean() },
  ),
  maybe(
    { kind: fc.constant('compaction' as const), compactionId: text, status: text, text, blocks, at },
    { error: text },
  ),
  maybe({ kind: fc.constant('relay' as const), messageId: text, text, blocks, at }, { from: text, to: text }),
);

const subagent: fc.Arbitrary<Entry> = maybe(
  {
    kind: fc.constant('subagent' as const),
    sessionId: id,
    canStop: fc.boolean(),
    child: fc
      .array(simple, { minLength: 1, maxLength: 3 })
      .map((entries) => reduceImport(emptySession('child'), { type: 'entriesImported', entries })),
    at,
  },
  { title: text, description: text, activity: text, stopReason: text },
).map((entry) => ({ ...entry, child: { ...entry.child, id: entry.sessionId } }));

const terminal = (terminalId: string): fc.Arbitrary<Terminal> =>
  maybe(
    { terminalId: fc.constant(terminalId), command: text, output: text, truncated: fc.boolean(), startedAt: at },
    { cwd: text, tty: fc.boolean(), dropped: at, exit: maybe({ at }, { code: at, signal: text }) },
  );

/** A session with all of these entries. */
export const anySession: fc.Arbitrary<SessionState> = fc
  .record({
    entries: fc.array(fc.oneof({ weight: 8, arbitrary: simple }, { weight: 1, arbitrary: subagent }), {
      minLength: 1,
      maxLength: 8,
    }),
    t1: terminal('t1'),
    t2: terminal('t2'),
    plan: fc.array(
      fc.record({ content: text, priority: text, status: fc.constantFrom('pending' as const, 'completed' as const) }),
      { maxLength: 2 },
    ),
  })
  .map(({ entries, t1, t2, plan }) => ({
    ...reduceImport(emptySession('exported'), { type: 'entriesImported', entries }),
    agent: { name: 'fake', title: 'Fake' },
    terminals: { t1, t2 },
    plan,
  }));
