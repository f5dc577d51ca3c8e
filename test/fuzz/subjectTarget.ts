import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Clock } from '../../src/base/clock';
import { asObject, isObject } from '../../src/base/json';
import { PriorApprovals } from '../../src/mcp/calls/priorApprovals';
import { ToolServers } from '../../src/mcp/contract/toolServerRegistry';
import { callRequest } from '../../src/permissions/subject/callRequest';
import { needsInput, subjectTitle, toolSubject } from '../../src/permissions/subject/toolSubject';
import type { ToolEntry } from '../../src/shared/state/toolCallState';
import { toolCommand, toolCwd } from '../../src/shared/text/toolInput';
import { stubOf } from '../kit/stubOf';
import { hostileText } from './hostile';
import type { Target } from './target';
import { anyInput } from './target';

const ARGS = { disk: 1 };
const CALL = { server: 'danger', tool: 'wipe', arguments: ARGS };
const CODEX = { _meta: { codex_approval_kind: 'mcp_tool_call', tool_title: 'wipe', tool_params: ARGS } };
const word = fc.oneof(
  fc.constantFrom('git status', 'ls', 'rm -rf src', 'str_replace', 'package.json', '/etc/hosts'),
  hostileText,
);
const fields =
  `command cmd command_line commandLine commands args cwd workdir env environment stdin shell code path server tool
  server_name description plan`.split(/\s+/);
const field = fc.tuple(
  fc.constantFrom(...fields),
  fc.oneof(
    word,
    fc.array(word, { maxLength: 3 }),
    fc.dictionary(word, word, { maxKeys: 2 }),
    fc.constant(5),
    fc.constant(null),
  ),
);
const input = fc
  .tuple(
    fc.array(field, { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs) as object),
    fc.constantFrom({}, {}, {}, CALL, ARGS, { invocation: CALL }, { server_name: 'danger', request: CODEX }),
  )
  .map(([some, more]) => ({ ...some, ...more }));
const diff = {
  type: 'diff' as const,
  diffId: 'd',
  path: 'a.md',
  label: 'a.md',
  hunks: [],
  added: 1,
  removed: 0,
  isNew: true,
};
const call = fc.record({
  title: fc.oneof(
    fc.constantFrom('git status', 'mcp__danger__wipe', 'danger__wipe', 'danger-wipe', 'Something'),
    hostileText,
  ),
  tool: fc.constantFrom<ToolEntry['tool']>('execute', 'edit', 'read', 'other', 'switch_mode'),
  name: fc.constantFrom(undefined, undefined, 'Bash', 'mcp__danger__wipe', 'danger/wipe', 'danger_wipe'),
  isEdit: fc.boolean(),
  rawInput: fc.oneof({ weight: 9, arbitrary: input }, { weight: 1, arbitrary: fc.jsonValue() }),
});

type Call = Pick<ToolEntry, 'title' | 'tool' | 'name' | 'content' | 'locations' | 'rawInput'>;

/** The facts on the card are those of the decision, and of what the answer covers later. */
export const subjectTarget: Target = {
  name: 'one subject',
  property: () =>
    anyInput(
      fc.property(call, ({ name, isEdit, ...rest }) => {
        const content = isEdit ? [diff] : [];
        check({ ...rest, content, locations: [], ...(name !== undefined && { name }) });
      }),
    ),
};

function check(asked: Call): void {
  const subject = toolSubject(asked);
  const isWhole = needsInput(asked);
  const context = { agent: 'A', folders: ['/ws'], confined: undefined, shell: 'posix' as const };
  const request = callRequest(asked, asked.title, context);
  const hasDiff = asked.content.length > 0;
  assert.equal(request.unclear !== undefined, subject.type === 'unclear');
  if (subject.type === 'unclear') assert.ok(isWhole);
  if (subject.type === 'edit') assert.ok(hasDiff && request.command === undefined);
  if (subject.type === 'command') {
    // The card shows this command in this folder, and nothing is folded that runs.
    assert.deepEqual(subject.command.run, toolCommand(asked.rawInput));
    assert.equal(subject.command.cwd, toolCwd(asked.rawInput));
    assert.ok(!hasDiff && (isWhole || subject.command.env === undefined));
    for (const hidden of [
      'stdin',
      'shell',
      'code',
      'path',
      'server',
      'tool',
      'plan',
      'arguments',
      'invocation',
      'request',
    ])
      assert.ok(isNothing(asObject(asked.rawInput)?.[hidden]), hidden);
  } else if (subject.type === 'tool') {
    assert.ok(!hasDiff);
    assert.deepEqual(request.command === undefined, subject.command === undefined);
    if (subject.command) assert.ok(isWhole);
  }
  const approvals = new PriorApprovals(stubOf<Clock>({ elapsed: () => 1 }), new ToolServers());
  if (!approvals.consume([{ ...asked, permissionId: 'p', at: 1 }], 'danger', 'wipe', ARGS)) return;
  assert.equal(subject.type, 'tool');
  assert.ok(isWhole || /wipe/.test(subjectTitle(asked)), 'the card does not name the tool');
  assert.match(JSON.stringify(asked.rawInput), /"disk":1/);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || typeof value === 'number' || isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
