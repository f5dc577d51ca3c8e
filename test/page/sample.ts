import type { ConfigOption } from '../../src/shared/state/configOptionState';
import type { DiffContent } from '../../src/shared/state/contentBlocks';
import type { ChangedFile } from '../../src/shared/state/reviewState';
import type { Action } from '../../src/shared/state/sessionActions';
import type { Command } from '../../src/shared/state/sessionState';
import type { PermissionOption } from '../../src/shared/state/toolCallState';

/** Noon on a fixed day: screenshots and golden texts do not depend on the date. */
export const NOON = Date.UTC(2026, 0, 5, 14, 2, 0);

export const options: readonly PermissionOption[] = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow…', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

export const diff: DiffContent = {
  type: 'diff',
  diffId: 'diff-1',
  path: '/work/src/upload.ts',
  label: 'src/upload.ts',
  isNew: false,
  added: 3,
  removed: 1,
  hunks: [
    {
      oldStart: 51,
      newStart: 51,
      lines: [
        { type: 'same', text: 'async send(chunk: Uint8Array) {' },
        { type: 'removed', text: '  return await this.http.put(this.url, chunk);' },
        { type: 'added', text: '  return await retry(() => this.http.put(this.url, chunk), {', marks: [[15, 27]] },
        { type: 'added', text: '    attempts: 4, jitter: true, when: isTransient,' },
        { type: 'added', text: '  });' },
        { type: 'same', text: '}' },
      ],
    },
  ],
};

export const selectors: readonly ConfigOption[] = [
  {
    id: 'mode',
    name: 'Mode',
    category: 'mode',
    source: 'config',
    kind: 'select',
    value: 'ask',
    groups: [
      {
        choices: [
          { value: 'ask', name: 'Ask first', description: 'Asks before it changes a file or runs a command' },
          { value: 'edits', name: 'Accept edits', description: 'Changes files without asking' },
          { value: 'plan', name: 'Plan', description: 'Reads only and makes a plan' },
        ],
      },
    ],
  },
  {
    id: 'model',
    name: 'Model',
    category: 'model',
    source: 'config',
    kind: 'select',
    value: 'opus',
    groups: [
      {
        name: 'Large',
        choices: [
          { value: 'opus', name: 'Opus', description: 'Most capable' },
          { value: 'sonnet', name: 'Sonnet', description: 'Everyday work' },
        ],
      },
      { name: 'Small', choices: [{ value: 'https://models.test/haiku', name: 'Haiku' }] },
    ],
  },
  { id: 'fast', name: 'Fast', source: 'config', kind: 'boolean', value: false, description: 'Answers sooner' },
];

export const commands: readonly Command[] = [
  { name: 'plan', description: 'Make a plan and change nothing', hint: 'what to plan' },
  { name: 'review', description: 'Review what has changed' },
  { name: 'preview', description: 'Show how it would look' },
];

/** A running turn with one of everything that a user usually sees, and a permission request at its end. */
export function midTurn(now: number): Action[] {
  const at = now - 40_000;
  return [
    { type: 'connectionChanged', connection: { status: 'ready' } },
    { type: 'titleChanged', title: 'Retry transient upload errors' },
    {
      type: 'promptSent',
      text: 'Uploads fail on a flaky network. Retry transient errors, keep the API, and add tests.',
      blocks: [{ type: 'link', uri: 'file:///work/src/upload.ts', name: 'upload.ts:40-88' }],
      at,
    },
    {
      type: 'textAppended',
      role: 'thought',
      text: 'The put is not retried. Only network errors should be.',
      at: at + 1000,
    },
    {
      type: 'textAppended',
      role: 'agent',
      text: 'The client throws on the first `ECONNRESET`. I will wrap the request in a bounded retry with jitter in [`src/upload.ts:52`](src/upload.ts#L52) and leave 4xx answers alone.',
      at: at + 7000,
    },
    {
      type: 'toolStarted',
      toolCallId: 't1',
      patch: {
        title: 'Read upload.ts',
        tool: 'read',
        status: 'done',
        locations: [{ path: '/work/src/upload.ts', label: 'src/upload.ts', line: 40 }],
        content: [{ type: 'block', block: { type: 'text', text: '```ts\nexport class Upload {}\n```' } }],
      },
      at: at + 8000,
    },
    {
      type: 'toolStarted',
      toolCallId: 't2',
      patch: {
        title: 'Find uses of send',
        tool: 'search',
        status: 'done',
        rawInput: { query: 'send' },
        rawOutput: '7 uses in 4 files',
      },
      at: at + 9000,
    },
    {
      type: 'toolStarted',
      toolCallId: 't3',
      patch: {
        title: 'Edit upload.ts',
        tool: 'edit',
        status: 'done',
        content: [diff],
        locations: [{ path: '/work/src/upload.ts', label: 'src/upload.ts', line: 52 }],
      },
      at: at + 12_000,
    },
    { type: 'terminalCreated', terminalId: 'term-1', command: 'npm test -- upload', cwd: '/work', at: now - 12_000 },
    {
      type: 'terminalOutput',
      terminalId: 'term-1',
      data: '\u001b[32m✔\u001b[0m retries ECONNRESET up to four times \u001b[90m(41 ms)\u001b[0m\r\n\u001b[32m✔\u001b[0m does not retry 403 \u001b[90m(3 ms)\u001b[0m\r\n\u001b[33m●\u001b[0m gives up after the deadline…\r\n',
    },
    {
      type: 'toolStarted',
      toolCallId: 't4',
      patch: {
        title: 'npm test -- upload',
        tool: 'execute',
        status: 'running',
        content: [{ type: 'terminal', terminalId: 'term-1' }],
      },
      at: now - 12_000,
    },
    {
      type: 'toolStarted',
      toolCallId: 't5',
      patch: {
        title: 'Install a package',
        tool: 'execute',
        status: 'pending',
        rawInput: { command: 'npm install --save-dev nock@14' },
      },
      at: now - 3000,
    },
    {
      type: 'permissionAsked',
      permissionId: 'p1',
      tool: 7,
      title: 'Install a package',
      options,
      why: 'Asked because no rule allows it. Runs in the workspace folder.',
      at: now - 3000,
    },
    { type: 'selectorsChanged', selectors },
    { type: 'commandsChanged', commands },
    { type: 'usageChanged', usage: { used: 74_000, size: 200_000, cost: { amount: 0.42, currency: 'USD' } } },
    {
      type: 'planChanged',
      items: [
        { content: 'Wrap the request in a bounded retry', priority: 'high', status: 'completed' },
        { content: 'Cover the deadline with a test', priority: 'high', status: 'in_progress' },
        { content: 'Leave 4xx answers alone', priority: 'medium', status: 'pending' },
        { content: 'Describe the retry in the docs', priority: 'low', status: 'pending' },
        { content: 'Run all tests', priority: 'low', status: 'pending' },
      ],
    },
  ];
}

/** Other updates of an agent: a running child session, compaction, a second plan. Continues {@link midTurn}. */
export function beside(now: number): Action[] {
  const entry = 9;
  return [
    {
      type: 'subagentStarted',
      sessionId: 'child-1',
      patch: { title: 'Check the docs', description: 'Reads the docs for what they say of retries', canStop: true },
      at: now - 9000,
    },
    { type: 'subagentChanged', entry, patch: { activity: 'running' }, at: now - 9000 },
    {
      type: 'subagentActed',
      entry,
      action: {
        type: 'toolStarted',
        toolCallId: 'c1',
        patch: { title: 'Read docs/network.md', tool: 'read', status: 'done' },
        at: now - 8000,
      },
    },
    {
      type: 'subagentActed',
      entry,
      action: {
        type: 'textAppended',
        role: 'agent',
        text: 'The docs promise **no** retries; that page has to change.',
        at: now - 7000,
      },
    },
    {
      type: 'compactionStarted',
      compactionId: 'k1',
      patch: { status: 'completed', text: 'Retries are wanted for `ECONNRESET` only.' },
      at: now - 5000,
    },
    { type: 'planUpdated', plan: { planId: 'p2', kind: 'markdown', text: '# Rollout\n\n1. Ship it\n2. Watch it' } },
  ];
}

/** Files of every kind that a review shows. */
export const changedFiles: readonly ChangedFile[] = [
  { path: '/work/src/upload.ts', label: 'src/upload.ts', status: 'changed', added: 3, removed: 1, binary: false },
  { path: '/work/src/retry.ts', label: 'src/retry.ts', status: 'created', added: 41, removed: 0, binary: false },
  {
    path: '/work/src/old/backoff.ts',
    label: 'src/old/backoff.ts',
    status: 'deleted',
    added: 0,
    removed: 28,
    binary: false,
  },
  {
    path: '/work/src/transport/http.ts',
    label: 'src/transport/http.ts',
    status: 'renamed',
    from: 'src/http.ts',
    added: 2,
    removed: 2,
    binary: false,
  },
  { path: '/work/media/logo.png', label: 'media/logo.png', status: 'changed', added: 0, removed: 0, binary: true },
  {
    path: '/work/README.md',
    label: 'README.md',
    status: 'changed',
    added: 5,
    removed: 4,
    binary: false,
    conflict: 'edited',
  },
];

/** A turn whose changes wait for Keep or Undo, and after it one that the user undid. */
export function reviewed(at: number): Action[] {
  const checkpoint = { checkpointId: 'c', at, coverage: 'workspace', skipped: 0 } as const;
  return [
    { type: 'connectionChanged', connection: { status: 'ready' } },
    { type: 'promptSent', text: 'Make uploads retry.', blocks: [], at },
    {
      type: 'toolStarted',
      toolCallId: 'e',
      patch: { title: 'Edit upload.ts', tool: 'edit', status: 'done', content: [diff] },
      at,
    },
    { type: 'textAppended', role: 'agent', text: 'Uploads retry four times.', at },
    { type: 'turnEnded', stopReason: 'end_turn', at },
    { type: 'promptSent', text: 'Now with a circuit breaker.', blocks: [], at },
    { type: 'textAppended', role: 'agent', text: 'Done: three failures open it for a minute.', at },
    { type: 'turnEnded', stopReason: 'end_turn', at },
    { type: 'checkpointsChanged', checkpoints: [0, 3].map((entry) => ({ ...checkpoint, entry })) },
    { type: 'checkpointRestored', entry: 3, undoId: 'u', at },
    { type: 'changesChanged', changed: changedFiles, removed: [] },
  ];
}
