import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock';
import { PriorApprovals } from '../../../src/mcp/calls/priorApprovals';
import { ToolServers } from '../../../src/mcp/contract/toolServerRegistry';
import type { Rule } from '../../../src/permissions/rules/permissionRule';
import type { AuthorizationRequest } from '../../../src/session/sessionHandle';
import { entriesFrom } from '../../../src/shared/state/entryPages';
import type { SessionState } from '../../../src/shared/state/sessionState';
import type { PermissionEntry } from '../../../src/shared/state/toolCallState';
import { SessionBench } from '../session/sessionBench';
import { emptyPolicy } from './emptyPolicy';

const { signal } = new AbortController();
const OPTIONS = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const waits = (state: SessionState): boolean => state.waiting.length > 0;
const DIFF = { type: 'diff', path: 'notes.md', newText: 'Hello' };

describe('an answer covers only the one subject that the request shows', () => {
  let bench: SessionBench;
  let folder: string;
  /** The rules of the settings; tests may change them. */
  let user: Rule[];
  let turn: Promise<void> | undefined;

  const policy = { ...emptyPolicy(), rules: () => ({ user, workspace: [] }) };

  before(async () => {
    bench = await SessionBench.open({ sessions: { policy } });
    folder = realpathSync(bench.folder);
  });

  beforeEach(() => {
    user = [];
    policy.remembered = emptyPolicy().remembered;
    bench.startOver();
  });

  afterEach(async () => {
    bench.session.turn.stop();
    await turn;
    turn = undefined;
  });

  after(() => bench.close());

  const asked = (): PermissionEntry[] =>
    Array.from(entriesFrom(bench.session.state.entries), ([, entry]) => entry).filter(
      (entry) => entry.kind === 'permission',
    );

  const answer = (optionId: string): boolean =>
    bench.session.userRequests.answer(asked().at(-1)?.permissionId ?? '', optionId);

  /** The agent's own permission request, answered by the user unless a rule has. */
  async function agentAsks(fields: object, optionId = 'once'): Promise<PermissionEntry | undefined> {
    bench.session.turn.stop();
    await turn;
    const count = asked().length;
    const toolCall = { toolCallId: `t${count}`, title: 'Something', ...fields };
    const params = { sessionId: '$SESSION', toolCall, options: OPTIONS };
    turn = bench.send(`request session/request_permission ${JSON.stringify(params)}`, 'until-cancel');
    await bench.until(() => asked().length > count);
    if (!asked().at(-1)?.outcome) answer(optionId);
    await bench.until((state) => !waits(state));
    return asked().at(-1);
  }

  /** Whether Parley asks before its own action; the question is rejected. */
  async function isAsked(request: AuthorizationRequest, optionId = 'reject'): Promise<boolean> {
    const count = asked().length;
    const result = bench.session.userRequests.authorize(request, signal);
    await Promise.race([result, bench.until(waits)]);
    const isNew = asked().length > count && asked().at(-1)?.outcome === undefined;
    if (isNew) answer(optionId);
    await result;
    return isNew;
  }

  const write = (path: string, newText: string, oldText?: string): AuthorizationRequest => ({
    kind: 'edit',
    title: 'Write',
    otherwise: 'allow',
    paths: [path],
    change: () => Promise.resolve({ path, newText, ...(oldText !== undefined && { oldText }) }),
  });

  const runs = (line: string): AuthorizationRequest => ({
    kind: 'execute',
    title: line,
    otherwise: 'ask',
    command: { line, shell: 'posix' },
  });

  const calls = (input: unknown, tool = 'files__save'): AuthorizationRequest => ({
    kind: 'other',
    title: 'Save',
    otherwise: 'ask',
    tool,
    input,
  });

  /** Whether the answers cover a call of a tool. */
  const isCallCovered = (server: string, tool: string, input: unknown): boolean =>
    new PriorApprovals(systemClock, new ToolServers()).consume(bench.session.userRequests.agreed, server, tool, input);

  it('marks a destructive command that stands only in the title, which approves nothing', async () => {
    const asking = await agentAsks({ title: 'npm run build && rm -rf build', kind: 'execute' });
    assert.match(asking?.destructive ?? '', /rm/);
    assert.equal((await agentAsks({ title: 'Run the tests', kind: 'execute' }))?.destructive, undefined);
    assert.equal(await isAsked(runs('npm run build && rm -rf build')), true);
  });

  describe('a command with the fields of a tool call', () => {
    const call = { server: 'danger', tool: 'wipe', arguments: { disk: 1 } };
    const codex = {
      server_name: 'danger',
      request: { _meta: { codex_approval_kind: 'mcp_tool_call', tool_title: 'wipe', tool_params: { disk: 1 } } },
    };
    for (const [what, fields] of Object.entries<object>({
      'beside it': { rawInput: { command: 'git status', ...call } },
      'in its invocation': { rawInput: { command: 'git status', invocation: call } },
      'in the form of Codex': { rawInput: { command: 'git status', ...codex } },
      'in two forms': { rawInput: { ...call, ...codex } },
      'and a diff': { rawInput: call, content: [DIFF] },
      'and another field': { rawInput: { ...call, note: 'git status' } },
      'and a plan': { kind: 'switch_mode', rawInput: { ...call, plan: 'Run git status' } },
      'in its name': { name: 'mcp__danger__wipe', rawInput: { disk: 1 }, content: [DIFF] },
    })) {
      it(`${what} approves no tool call, and no command`, async () => {
        await agentAsks({ title: 'git status', kind: 'execute', ...fields });
        assert.equal(isCallCovered('danger', 'wipe', { disk: 1 }), false);
        assert.equal(await isAsked(runs('git status')), true);
        assert.equal(await isAsked(write(join(folder, 'package.json'), 'Hello')), true);
      });
    }

    it('that names another tool than the title approves neither', async () => {
      await agentAsks({ title: 'mcp__safe__list', rawInput: call });
      assert.equal(isCallCovered('danger', 'wipe', { disk: 1 }), false);
      assert.equal(isCallCovered('safe', 'list', { disk: 1 }), false);
    });

    it('as the only subject approves the tool call with these arguments', async () => {
      await agentAsks({ title: 'danger wipe', rawInput: call });
      assert.equal(isCallCovered('danger', 'wipe', { disk: 2 }), false);
      assert.equal(isCallCovered('danger', 'wipe', { disk: 1 }), true);
    });
  });

  describe('an edit', () => {
    const file = (): string => join(folder, 'package.json');

    it('approves only the content that its diff shows', async () => {
      await agentAsks({ kind: 'edit', content: [{ type: 'diff', path: file(), oldText: '{}', newText: '{}\n' }] });
      const evil = '{"scripts":{"postinstall":"x"}}';
      assert.equal(await isAsked(write(file(), evil, '{}')), true);
      // The diff hides what the file contains besides.
      assert.equal(await isAsked(write(file(), '{}\n', '{"a":1}')), true);
      assert.equal(await isAsked(write(file(), '{}\n', '{}')), false);
      assert.equal(await isAsked(write(file(), '{}\n', '{}')), true);
    });

    it('of one place approves only the change of that place', async () => {
      const part = { type: 'diff', path: file(), oldText: '"a": 1', newText: '"a": 2' };
      await agentAsks({ kind: 'edit', content: [part] });
      assert.equal(await isAsked(write(file(), '{"a": 2, "b": 2}', '{"a": 1, "b": 1}')), true);
      assert.equal(await isAsked(write(file(), '{"a": 2, "c": {"a": 1}}', '{"a": 1, "c": {"a": 1}}')), true);
      assert.equal(await isAsked(write(file(), '{"a": 2}\r\n', '{"a": 1}\r\n')), false);
    });

    for (const kind of ['other', 'edit', 'delete', 'move', 'switch_mode', undefined]) {
      it(`of kind ${kind ?? 'none'} with only a location approves no write`, async () => {
        writeFileSync(file(), '{}');
        for (const path of [file(), '/etc/hosts']) {
          await agentAsks({ ...(kind !== undefined && { kind }), locations: [{ path }] });
          assert.equal(await isAsked(write(path, 'x')), true, path);
        }
      });
    }

    it('whose input names another file than the diff shows the whole input, and approves nothing', async () => {
      for (const rawInput of [
        { file_path: 'package.json', content: 'Hello' },
        { changes: { [join(folder, 'notes.md')]: {}, [join(folder, 'src/a.ts')]: {} } },
      ]) {
        user = [{ decision: 'allow', kind: 'edit', path: '**' }];
        await agentAsks({ kind: 'edit', rawInput, content: [DIFF] });
        const [shown] = asked().slice(-1);
        assert.equal(shown?.showsInput, true);
        assert.match(shown.why ?? '', /cannot be read as one action: it names .* besides the change/);
      }
      user = [{ decision: 'ask', path: 'notes.md' }];
      assert.equal(await isAsked(write(join(folder, 'notes.md'), 'Hello')), true);
    });

    it('with a field that no form of an edit explains shows the whole input, and is allowed by no rule', async () => {
      user = [{ decision: 'allow', kind: 'edit', path: '**' }];
      const known = { file_path: 'notes.md', content: 'Hello' };
      for (const more of [
        { later: 'Hello' },
        { hooks: { 'rm -rf src': null } },
        { edits: [{ old_string: '', new_string: 'Hello', run: 'x' }] },
        { command: 'deploy' },
        { deploy: true },
        { changes: { 'notes.md': { type: 'update', move_path: 'other.md' } } },
        { changes: { 'notes.md': { type: 'deploy' } } },
      ]) {
        const entry = await agentAsks({ kind: 'edit', rawInput: { ...known, ...more }, content: [DIFF] });
        assert.equal(entry?.showsInput, true, JSON.stringify(more));
        assert.match(entry.why ?? '', /cannot be read as one action: it has “.*” besides the change/);
      }
      user = [{ decision: 'ask', path: 'notes.md' }];
      assert.equal(await isAsked(write(join(folder, 'notes.md'), 'Hello')), true);
    });

    it('in a form of a known agent is short', async () => {
      const path = join(folder, 'notes.md');
      const diff = { ...DIFF, path };
      for (const rawInput of [
        null,
        { file_path: path, content: 'Hello' },
        { path, file_text: 'Hello', command: 'create' },
        { path, old_str_1: '', new_str_1: 'Hello', old_str_start_line_number_1: 1, instruction_reminder: 'short' },
        { filepath: path, diff: '+Hello' },
        { file_path: path, old_string: '', new_string: 'Hello', replace_all: false },
        { filePath: path, edits: [{ oldString: '', newString: 'Hello', replaceAll: true }] },
        {
          call_id: '1',
          changes: { [path]: { type: 'update', unified_diff: '+Hello', move_path: null } },
          started_at_ms: 1,
        },
        { call_id: '1', auto_approved: false, changes: { 'notes.md': { type: 'add', content: 'Hello' } } },
        { files: [{ filePath: path, relativePath: 'notes.md', type: 'add', patch: '', before: '', additions: 1 }] },
      ]) {
        const entry = await agentAsks({ kind: 'edit', rawInput, content: [diff] });
        assert.deepEqual([entry?.showsInput, entry?.why], [undefined, undefined], JSON.stringify(rawInput));
      }
    });

    it('that shows no old text of an existing file says so, and approves no write', async () => {
      const diff = { type: 'diff', path: file(), newText: 'x' };
      for (const [text, why] of [
        ['{}', /the whole file package.json is replaced, and its old text is not shown/],
        ['', /^(?!.*replaced)/],
      ] as const) {
        writeFileSync(file(), text);
        await agentAsks({ kind: 'edit', content: [diff] });
        assert.match(asked().at(-1)?.why ?? '', why);
        assert.equal(await isAsked(write(file(), 'x', text)), text !== '');
      }
      await agentAsks({ kind: 'edit', content: [diff] });
      const large: AuthorizationRequest = {
        ...write(file(), 'x'),
        change: () => Promise.resolve({ path: file(), newText: 'x', hidesOldText: true }),
      };
      assert.equal(await isAsked(large), true);
    });

    it('whose text contains a path approves no access to that file', async () => {
      const rawInput = { file_path: 'a.md', new_string: '/etc/hosts' };
      await agentAsks({ kind: 'edit', rawInput, content: [{ type: 'diff', path: 'a.md', newText: '/etc/hosts' }] });
      const read: AuthorizationRequest = { kind: 'read', title: 'Read', otherwise: 'allow', paths: ['/etc/hosts'] };
      assert.equal(await isAsked(read), true);
    });
  });

  describe('a request that shows a part of its input', () => {
    const read = (path: string): AuthorizationRequest => ({
      kind: 'read',
      title: 'Read',
      otherwise: 'allow',
      paths: [path],
    });

    it('approves reading of the files that it names, and of no file beside a diff', async () => {
      const rawInput = { path: '/etc/hosts', files: ['/etc/passwd'] };
      await agentAsks({ kind: 'read', rawInput });
      assert.equal(await isAsked(read('/etc/passwd')), false);
      await agentAsks({ kind: 'read', rawInput, content: [DIFF] });
      assert.equal(await isAsked(read('/etc/passwd')), true);
    });

    it('approves no call with other arguments than a text or a list', async () => {
      for (const rawInput of ['Read', ['Read']]) {
        await agentAsks({ title: 'mcp__danger__wipe', rawInput });
        assert.equal(isCallCovered('danger', 'wipe', {}), false);
      }
    });

    it('approves no call by its title if it shows a plan', async () => {
      const rawInput = { plan: 'Read', disk: 1 };
      const prior = new PriorApprovals(systemClock, new ToolServers());
      const isCovered = (): boolean =>
        prior.consume(bench.session.userRequests.agreed, 'danger', 'wipe', rawInput, 'Save it all');
      await agentAsks({ title: 'Save it all', kind: 'switch_mode', rawInput });
      assert.equal(isCovered(), false);
      await agentAsks({ title: 'Save it all', kind: 'other', rawInput });
      assert.equal(isCovered(), true);
    });

    it('of Parley’s own tool with a command shows all arguments', async () => {
      await isAsked(calls({ command: 'deploy', source: 'production' }));
      assert.equal(asked().at(-1)?.showsInput, true);
    });
  });

  describe('“Allow for this session” on a tool', () => {
    const FORMS: Readonly<Record<string, (path: string) => object>> = {
      relative_path: (path) => ({ relative_path: path }),
      pathInProject: (path) => ({ pathInProject: path }),
      uri: (path) => ({ uri: `file://${path.startsWith('/') ? '' : '/etc/'}${path}` }),
      outputPath: (path) => ({ outputPath: path }),
      'edits[].path': (path) => ({ edits: [{ path }] }),
      'operations[].path': (path) => ({ operations: [{ type: 'write', path }] }),
      'args.path': (path) => ({ args: { path } }),
      'a list': (path) => ({ list: [[path]] }),
      'a name of a field': (path) => ({ files: { [path]: 'text' } }),
      'a line of a text': (path) => ({ text: `Save\n${path.startsWith('/') ? path : `../${path}`}\n` }),
      'a value of an option': (path) => ({ text: `--output=${path}` }),
    };
    for (const [form, input] of Object.entries(FORMS)) {
      it(`is not offered and not used for a protected file in ${form}`, async () => {
        for (const path of ['package.json', '.vscode/tasks.json', '/etc/hosts']) {
          assert.equal(await isAsked(calls(input(path)), 'allowOnce'), true);
          const [{ options, why } = { options: [] }] = asked().slice(-1);
          assert.deepEqual([path, options.map(({ name }) => name)], [path, ['Allow once', 'Reject']]);
          assert.ok(why);
          user = [{ decision: 'allow', tool: 'files__*' }];
          assert.equal(await isAsked(calls(input(path))), true, path);
          user = [];
        }
        assert.equal(await isAsked(calls(input('src/a.ts')), 'reject'), true);
      });
    }

    it('is not used for patterns that match a protected file, or one of a rule', async () => {
      for (const name of ['.vscode', 'secret', 'src', 'a/b']) mkdirSync(join(folder, name), { recursive: true });
      for (const name of ['package.json', '.vscode/tasks.json', 'secret/key', 'src/a.ts', 'a/b/conftest.py'])
        writeFileSync(join(folder, name), '');
      user = [
        { decision: 'allow', tool: 'files__*' },
        { decision: 'deny', path: 'secret/**' },
      ];
      for (const path of [
        'pack*.json',
        '{package,x}.json',
        '.vs?ode/*',
        '**/tasks.json',
        '*/b/*.py',
        'PACKAGE.*',
        '.*/x*',
      ]) {
        const isProtected = path !== '.*/x*';
        assert.equal(await isAsked(calls({ path })), isProtected, path);
        assert.equal(await isAsked(calls({ files: ['src/a.ts', path] })), isProtected, path);
      }
      for (const text of ['src/*.ts', '*', 'x*y', '[a-z]+', 'nothing/*.json', 'all *.json files']) {
        assert.equal(await isAsked(calls({ text })), false, text);
      }
      const { allowed, by } = await bench.session.userRequests.authorize(calls({ path: 's*t/*' }), signal);
      assert.deepEqual([allowed, by], [false, 'rule']);
    });

    it('covers only the same arguments', async () => {
      assert.equal(await isAsked(calls({ name: 'a', text: 'b' }), 'allowSession'), true);
      assert.equal(await isAsked(calls({ text: 'b', name: 'a' })), false);
      for (const other of [{ name: 'a', text: 'c' }, { name: 'a' }, { name: 'a', text: 'b', force: true }, {}])
        assert.equal(await isAsked(calls(other)), true, JSON.stringify(other));
      // A rule for it exists, so that the user can select another scope.
      assert.deepEqual(
        asked().flatMap(({ remembered }) => remembered?.rules ?? []),
        ['tool files__save, agent , only with the same arguments and content'],
      );
    });
  });

  describe('the agent’s own “Always”', () => {
    const isByRule = (entry: PermissionEntry | undefined): boolean =>
      entry?.outcome?.type === 'selected' && entry.outcome.by === 'rule';

    const edit = (newText: string): object => ({
      kind: 'edit',
      title: 'Edit a.md',
      content: [{ type: 'diff', path: 'a.md', oldText: 'a', newText }],
    });
    const CALLS: Readonly<Record<string, readonly [answered: object, other: object]>> = {
      'a title': [
        { kind: 'other', title: 'Deploy', rawInput: { to: 'test' } },
        { kind: 'other', title: 'Deploy', rawInput: { to: 'production' } },
      ],
      'a truncated title': [
        { title: 'apply_patch: {"input": "*** Begin…', rawInput: { input: 'a' } },
        { title: 'apply_patch: {"input": "*** Begin…', rawInput: { input: 'b' } },
      ],
      'a tool of a server': [
        { title: 'mcp__files__save', rawInput: { text: 'a' } },
        { title: 'mcp__files__save', rawInput: { text: 'b' } },
      ],
      'another tool for the same file': [
        { kind: 'other', title: 'mcp__files__show', rawInput: { path: 'a.md' } },
        { kind: 'other', title: 'mcp__files__wipe', rawInput: { path: 'a.md' } },
      ],
      'a tool in the raw input': [
        { kind: 'other', title: 'Call', rawInput: { server: 'files', tool: 'show', arguments: { path: 'a.md' } } },
        { kind: 'other', title: 'Call', rawInput: { server: 'files', tool: 'wipe', arguments: { path: 'a.md' } } },
      ],
      'an edit': [edit('b'), edit('c')],
      'an edit without a diff': [
        { kind: 'edit', title: 'Edit', rawInput: { path: 'a.md', text: 'b' } },
        { kind: 'edit', title: 'Edit', rawInput: { path: 'a.md', text: 'c' } },
      ],
      'a text of the request': [
        { kind: 'other', title: 'Send', content: [{ type: 'content', content: { type: 'text', text: 'a' } }] },
        { kind: 'other', title: 'Send', content: [{ type: 'content', content: { type: 'text', text: 'b' } }] },
      ],
      'a command': [
        { kind: 'execute', rawInput: { command: 'make a', cwd: '.' } },
        { kind: 'execute', rawInput: { command: 'make a', cwd: 'sub' } },
      ],
    };
    for (const [what, [answered, other]] of Object.entries(CALLS)) {
      it(`on ${what} allows only the same request`, async () => {
        assert.equal(isByRule(await agentAsks(answered, 'always')), false);
        await bench.until(() => asked().at(-1)?.remembered?.rules.length === 1);
        assert.equal(isByRule(await agentAsks(other, 'no')), false);
        assert.equal(isByRule(await agentAsks(answered, 'no')), true);
      });
    }

    it('on a tool with a command among other arguments allows only the same call', async () => {
      const call = (where: string): object => ({ title: 'mcp__shell__run', rawInput: { command: 'ls', where } });
      assert.equal(isByRule(await agentAsks(call('here'), 'always')), false);
      await bench.until(() => asked().at(-1)?.remembered?.rules.length === 1);
      assert.equal(isByRule(await agentAsks(call('here'), 'no')), true);
      assert.equal(await isAsked(runs('ls')), true);
      assert.equal(isByRule(await agentAsks({ kind: 'execute', rawInput: { command: 'ls' } }, 'no')), false);
      user = [{ decision: 'allow', command: 'ls' }];
      assert.equal(isByRule(await agentAsks(call('there'), 'no')), false);
      assert.equal(isByRule(await agentAsks({ title: 'mcp__shell__run', rawInput: { command: 'ls' } }, 'no')), true);
      user = [{ decision: 'deny', command: 'ls' }];
      assert.equal(isByRule(await agentAsks(call('there'), 'once')), true);
    });

    it('on an edit covers the file with any content only in a scope that the user selects', async () => {
      const answered = await agentAsks(edit('b'), 'always');
      const { rules } = await bench.session.userRequests.alwaysRules.saveRule(
        answered?.permissionId ?? '',
        'workspace',
      );
      const [{ rule } = assert.fail()] = rules;
      assert.deepEqual([rules.length, rule.kind, rule.subject], [1, 'edit', undefined]);
      user = [rule];
      assert.equal(isByRule(await agentAsks(edit('c'), 'no')), true);
    });
  });

  describe('two commands', () => {
    for (const [what, rawInput] of Object.entries<object>({
      'in two fields': { command: 'ls', cmd: 'rm -rf src' },
      'in a list beside one': { command: 'ls', commands: ['ls', 'rm -rf src'] },
      'in a variable': { command: 'ls', environment: { A: '1' }, env: { A: '2' } },
      'in the shell': { command: 'ls', shell: 'rm -rf src;' },
      'in the input': { command: 'bash', stdin: 'rm -rf src' },
      'in another folder': { command: 'ls', working_dir: '/etc' },
      'outside the sandbox': { command: 'ls', dangerouslyDisableSandbox: true },
      'as another user': { command: 'ls', uid: 0 },
      'with other rights': { command: 'ls', unrestricted: true },
      'in two folders': { command: 'ls', cwd: 'a', workdir: 'b' },
    })) {
      it(`${what} are no subject: no rule allows them, and the answer approves nothing else`, async () => {
        user = [
          { decision: 'allow', command: 'ls' },
          { decision: 'allow', command: 'bash' },
        ];
        const question = await agentAsks({ kind: 'execute', rawInput }, 'always');
        assert.notEqual(question?.outcome?.type === 'selected' && question.outcome.by, 'rule');
        assert.match(asked().at(-1)?.remembered?.note ?? '', /cannot be read as one action/);
        user = [];
        for (const line of ['ls', 'bash', 'rm -rf src']) assert.equal(await isAsked(runs(line)), true, line);
      });
    }

    it('are denied if a rule denies one of them', async () => {
      user = [{ decision: 'deny', command: 'rm **' }];
      const question = await agentAsks({ kind: 'execute', rawInput: { command: 'ls', cmd: 'rm -rf src' } });
      assert.equal(question?.outcome?.type === 'selected' && question.outcome.by, 'rule');
    });
  });

  it('words that a shell would read as more are no subject', async () => {
    await agentAsks({ kind: 'execute', rawInput: { command: 'echo', args: ['a; rm -rf src'], shell: true } });
    assert.equal(asked().at(-1)?.showsInput, true);
    const argv = ['echo', 'a; rm -rf src'];
    assert.equal(await isAsked({ ...runs('echo'), command: { argv } }), true);
  });

  it('a call of a server’s tool approves no command and no file of this machine', async () => {
    const read: AuthorizationRequest = { kind: 'read', title: 'Read', otherwise: 'allow', paths: ['/etc/hosts'] };
    await agentAsks({ title: 'mcp__docker__exec', kind: 'other', rawInput: { command: 'rm -rf /data' } });
    await agentAsks({ title: 'Run', name: 'mcp__docker__exec', kind: 'other', rawInput: { command: 'rm -rf /data' } });
    assert.equal(await isAsked(runs('rm -rf /data')), true);
    await agentAsks({ title: 'mcp__docker__read_file', kind: 'read', rawInput: { path: '/etc/hosts' } });
    await agentAsks({ title: 'Fetch', kind: 'fetch', rawInput: { url: 'https://example.com', file: '/etc/hosts' } });
    assert.equal(await isAsked(read), true);
  });

  it('a call that may be one of a server’s tool approves no command and no file of this machine', async () => {
    const rawInput = { command: 'rm -rf /data' };
    const forms = [
      'docker-exec',
      'docker.exec',
      'docker/exec',
      'docker:exec',
      'exec (docker)',
      '[docker] exec',
      'docker → exec',
    ];
    for (const title of [...forms, 'MCP: docker/exec', 'docker_exec']) {
      await agentAsks({ title, kind: 'other', rawInput });
      await agentAsks({ title: 'Run in the container', name: title, kind: 'other', rawInput });
    }
    await agentAsks({ title: 'Run in the container', name: 'exec', kind: 'other', rawInput });
    await agentAsks({ title: 'docker/exec', kind: 'execute', rawInput });
    await agentAsks({ title: 'Run it', name: 'docker-exec', kind: 'execute', rawInput });
    await agentAsks({ title: 'docker-exec', kind: 'other', rawInput }, 'always');
    assert.equal(await isAsked(runs('rm -rf /data')), true);
    for (const title of ['docker/read_file', 'read_file (docker)'])
      await agentAsks({ title, kind: 'read', rawInput: { path: '/etc/hosts' } });
    assert.equal(await isAsked({ kind: 'read', title: 'Read', otherwise: 'allow', paths: ['/etc/hosts'] }), true);
  });

  it('a command of this machine is approved by its kind, or by a title with its line', async () => {
    for (const fields of [
      { title: 'Remove the data', kind: 'execute' },
      { title: '`rm -rf data/x`', kind: 'other' },
      { title: 'rm -rf data/x', name: 'shell', kind: 'execute' },
    ]) {
      await agentAsks({ ...fields, rawInput: { command: 'rm -rf data/x' } });
      assert.equal(await isAsked({ ...runs('rm -rf data/x'), otherwise: 'ask' }), false, fields.title);
    }
    await agentAsks({ title: 'etc/hosts', kind: 'read', rawInput: { path: '/etc/hosts' } });
    assert.equal(await isAsked({ kind: 'read', title: 'Read', otherwise: 'allow', paths: ['/etc/hosts'] }), false);
  });

  it('Parley’s own question about a tool shows nothing that the agent says about the call', async () => {
    const path = join(folder, 'src.ts');
    const rawInput = { path: 'src.ts', symbol: 'foo', new_name: 'bar' };
    const call = { sessionUpdate: 'tool_call', toolCallId: 'o', status: 'in_progress', title: 'mcp__refactor__rename' };
    const content = [{ type: 'content', content: { type: 'text', text: 'Only a comment changes.' } }];
    const update = { ...call, kind: 'edit', rawInput, locations: [{ path }], content };
    turn = bench.send(`session-update ${JSON.stringify(update)}`, 'until-cancel');
    await bench.until(() =>
      Array.from(entriesFrom(bench.session.state.entries)).some(([, { kind }]) => kind === 'tool'),
    );
    const title = 'Rename foo to bar in 2 files';
    const request = { title, kind: 'edit', otherwise: 'ask', tool: 'refactor__rename', input: rawInput } as const;
    assert.equal(await isAsked({ ...request, paths: [path, join(folder, 'other.ts')] }), true);
    const [own] = Array.from(entriesFrom(bench.session.state.entries), ([, entry]) => entry).filter(
      (entry) => entry.kind === 'tool' && entry.title === title,
    );
    assert.deepEqual(own?.kind === 'tool' && [own.locations.length, own.content], [2, []]);
  });

  describe('the card', () => {
    it('of what cannot be read as one subject shows the whole input, and says why', async () => {
      await agentAsks({ kind: 'execute', rawInput: { command: 'ls', stdin: 'x' } });
      const [plain] = asked().slice(-1);
      assert.equal(plain?.showsInput, true);
      assert.match(plain?.why ?? '', /^the request cannot be read as one action: it has “stdin” besides the command$/);
      await agentAsks({ kind: 'execute', rawInput: { command: 'cat /etc/hosts', stdin: 'x' } });
      assert.match(asked().at(-1)?.why ?? '', /outside.*; the request cannot be read as one action/);
    });

    it('of a command with variables, or a tool with a command, shows the whole input', async () => {
      for (const fields of [
        { rawInput: { command: 'ls', env: { A: 'b' } } },
        { title: 'mcp__shell__run', rawInput: { command: 'ls', where: 'x' } },
        { rawInput: { server: 'a', tool: 'b', arguments: {} }, kind: 'switch_mode' },
        { title: 'Ready to code?', name: 'danger/wipe', rawInput: { plan: 'Read', disk: 1 }, kind: 'switch_mode' },
      ]) {
        await agentAsks(fields);
        assert.equal(asked().at(-1)?.showsInput, true, JSON.stringify(fields));
      }
    });

    it('of a plain command or an edit stays short', async () => {
      for (const fields of [
        { kind: 'execute', rawInput: { command: 'ls', description: 'Lists files', timeout: 5 } },
        {
          kind: 'execute',
          rawInput: { command: 'ls', run_in_background: true, sync: true, yieldTimeMs: 5, requires_approval: true },
        },
        { kind: 'edit', rawInput: { file_path: 'notes.md', content: 'Hello' }, content: [DIFF] },
        { kind: 'edit', rawInput: { path: './notes.md', dir: '.' }, content: [DIFF] },
      ]) {
        await agentAsks(fields);
        const [entry] = asked().slice(-1);
        assert.deepEqual([entry?.showsInput, entry?.why], [undefined, undefined]);
      }
    });

    it('names the tool that the answer approves', async () => {
      await agentAsks({ title: 'Read notes', name: 'mcp__danger__wipe', rawInput: { disk: 1 } });
      assert.equal(asked().at(-1)?.title, 'Read notes (mcp__danger__wipe)');
      assert.equal(isCallCovered('danger', 'wipe', { disk: 1 }), true);
      // A name that may be a word is not shown, so that it approves nothing.
      await agentAsks({ title: 'Read notes', name: 'danger_wipe', rawInput: { disk: 2 } });
      assert.equal(asked().at(-1)?.title, 'Read notes');
      assert.equal(isCallCovered('danger', 'wipe', { disk: 2 }), false);
    });
  });

  it('rules that deny a command or a path look at every string of a tool’s arguments', async () => {
    user = [
      { decision: 'deny', command: 'rm **' },
      { decision: 'deny', path: 'secret/**' },
    ];
    for (const input of [
      { script: 'rm -rf src' },
      { steps: [{ run: 'cd src && rm -rf x' }] },
      { program: 'rm', args: ['-rf', 'src'] },
      { argv: ['rm', '-rf', 'src'] },
      { to: 'secret/key' },
      { edits: [{ where: { file: 'secret/key' } }] },
    ]) {
      const { allowed, by } = await bench.session.userRequests.authorize(calls(input), signal);
      assert.deepEqual([allowed, by], [false, 'rule'], JSON.stringify(input));
    }
  });
});
