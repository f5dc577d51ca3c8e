import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { JsonObject } from '../../src/base/json';
import type { BuiltInServer } from '../../src/mcp/builtin/builtInServers';
import { BackgroundRuns } from '../../src/mcp/builtin/common/backgroundRuns';
import { debuggerServer } from '../../src/mcp/builtin/debugger/debuggerServer';
import { DebugSessionMonitor } from '../../src/mcp/builtin/debugger/debugSessionMonitor';
import { ideServer } from '../../src/mcp/builtin/ide/ideServer';
import { notebookServer } from '../../src/mcp/builtin/notebook/notebookServer';
import type { TaskResult } from '../../src/mcp/builtin/tasks/taskProcess';
import { tasksServer } from '../../src/mcp/builtin/tasks/tasksServer';
import type { TestResult } from '../../src/mcp/builtin/tests/runTests';
import { testsServer } from '../../src/mcp/builtin/tests/testsServer';
import { until } from '../kit/waiting';
import { RecordingSession, nullLogger, workspaceFolder } from './clientHelp';
import { ToolCaller } from './toolHelp';

/** The editor tools of these tests by name; each records its input. */
class SampleTools {
  readonly calls: { readonly name: string; readonly input: object }[] = [];
  answers: Record<string, string | (() => Promise<vscode.LanguageModelToolResult>)> = {};

  get tools(): vscode.LanguageModelToolInformation[] {
    return Object.keys(this.answers).map((name) => ({
      name,
      description: `What ${name} does\u200b`,
      inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
      tags: [],
    }));
  }

  async invokeTool(
    name: string,
    { input }: vscode.LanguageModelToolInvocationOptions<object>,
  ): Promise<vscode.LanguageModelToolResult> {
    this.calls.push({ name, input });
    const answer = this.answers[name]!;
    if (typeof answer !== 'string') return answer();
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(answer)]);
  }
}

const FAILING = `<summary passed=3 failed=1 />
<testFailure name="adds two" path="sums > small">
<expectedOutput>
3
</expectedOutput>
<actualOutput>
4
</actualOutput>
<location path="ROOT/test/todo.spec.ts" line="7" col="3" />
</testFailure>
`;

const node = JSON.stringify(process.execPath);
const sleep = `${node} -e "console.log('begun'); setTimeout(() => {}, 600000)"`;

const TASKS = {
  version: '2.0.0',
  inputs: [],
  tasks: [
    {
      label: 'say',
      type: 'process',
      command: process.execPath,
      args: ['-e', 'console.log(process.argv[1])', '${workspaceFolderBasename}'],
    },
    { label: 'fail', type: 'shell', command: `echo "gone wrong" 1>&2; exit 3` },
    { label: 'sleep', type: 'shell', command: sleep },
    { label: 'first', type: 'shell', command: 'exit 0' },
    { label: 'after', type: 'shell', command: 'exit 4', dependsOn: 'first' },
    { label: 'all tests', type: 'shell', command: 'echo 5 passing', group: { kind: 'test', isDefault: true } },
  ].map((task) => ({ options: { env: { ELECTRON_RUN_AS_NODE: '1' } }, problemMatcher: [], ...task })),
};

const PROGRAM = `function add(first, second) {
  const sum = first + second;
  return sum;
}
const user = { name: 'Ada', age: 36 };
console.log('sum', add(1, 2), user.name);
setInterval(() => {}, 1000);
`;

const LAUNCH = {
  version: '0.2.0',
  configurations: [
    {
      name: 'Sample program',
      type: 'node',
      request: 'launch',
      program: '${workspaceFolder}/more/program.js',
      runtimeExecutable: process.execPath,
      env: { ELECTRON_RUN_AS_NODE: '1' },
      outputCapture: 'std',
    },
  ],
};

const NOTEBOOK = {
  cells: [
    { cell_type: 'markdown', metadata: {}, source: ['# Title'] },
    {
      cell_type: 'code',
      metadata: {},
      execution_count: 1,
      outputs: [{ output_type: 'stream', name: 'stdout', text: ['kept output\n'] }],
      source: ['one'],
    },
    { cell_type: 'code', metadata: {}, execution_count: null, outputs: [], source: ['two'] },
  ],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 2,
};

describe('More tools of the editor', () => {
  const root = workspaceFolder();
  const session = new RecordingSession([root]);
  const editorTools = new SampleTools();
  const taskRuns = new BackgroundRuns<TaskResult>();
  const testRuns = new BackgroundRuns<TestResult>();
  const debugSessions = new DebugSessionMonitor();
  let chosen: string[] = [];
  const log = nullLogger;
  const edited: string[] = [];
  const servers: readonly BuiltInServer[] = [
    testsServer(testRuns, editorTools, log),
    tasksServer(taskRuns, log),
    debuggerServer(debugSessions),
    notebookServer((_sessionId, path, write) => {
      edited.push(...[path].flat());
      return write();
    }),
    ideServer(
      editorTools,
      () => chosen,
      () => ({ dispose: () => undefined }),
    ),
  ].map((server) => ({ server, isOn: true }));
  const caller = new ToolCaller(() => servers, session);
  const call = caller.call.bind(caller);

  before(async () => {
    const files = {
      '.vscode/tasks.json': TASKS,
      '.vscode/launch.json': LAUNCH,
      'more/cells.ipynb': NOTEBOOK,
      'more/program.js': PROGRAM,
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 1);
      await writeFile(join(root, path), text);
    }
    await configured('tasks', 'tasks');
    await configured('launch', 'configurations');
  });

  after(async () => {
    for (const owned of [taskRuns, testRuns, debugSessions]) owned.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(join(root, 'more'), { recursive: true, force: true });
    await rm(join(root, '.vscode'), { recursive: true, force: true });
  });

  beforeEach(() => {
    caller.approvals = [];
    caller.isApproved = true;
    editorTools.answers = {};
    editorTools.calls.length = 0;
    edited.length = 0;
  });

  describe('tasks', () => {
    it('list the configured tasks, and run them with resolved variables and reported output', async () => {
      const listed = await call('tasks', 'list');
      const tasks = listed['tasks'] as JsonObject[];
      assert.ok(
        tasks.some(({ name }) => name === 'say'),
        JSON.stringify(tasks),
      );
      assert.equal(tasks.find(({ name }) => name === 'all tests')?.['group'], 'test');
      const ran = await call('tasks', 'run', { name: 'say' });
      assert.deepEqual(
        [ran['status'], ran['exit_code'], ran['output_tail']],
        ['succeeded', 0, `${root.split(/[\\/]/).at(-1)}\n`],
      );
      assert.match(caller.approvals[0]!.title, /^Run the task say \(.*console\.log/);
    });

    it('report why a task failed, and list the tasks for an unknown name', async () => {
      const ran = await call('tasks', 'run', { name: 'fail' });
      assert.deepEqual([ran['status'], ran['exit_code'], ran['output_tail']], ['failed', 3, 'gone wrong\n']);
      await assert.rejects(call('tasks', 'run', { name: 'nothing' }), /no task "nothing".*say/s);
      caller.isApproved = false;
      await assert.rejects(call('tasks', 'run', { name: 'say' }), /not allowed/);
    });

    it('pass a task with dependencies to VS Code, which reports only the exit code', async () => {
      const ran = await call('tasks', 'run', { name: 'after' });
      assert.deepEqual([ran['status'], ran['exit_code'], 'output_tail' in ran], ['failed', 4, false]);
    });

    it('do not wait for a running task, and end its process with the session', async () => {
      const ran = await call('tasks', 'run', { name: 'sleep', wait_ms: 0 });
      assert.equal(ran['status'], 'running');
      const id = String(ran['run_id']);
      const hasBegun = async (): Promise<boolean> => {
        const now = await call('tasks', 'status', { run_id: id, wait_ms: 50 });
        assert.equal(now['status'], 'running', JSON.stringify(now));
        return now['output_tail'] === 'begun\n';
      };
      await until(hasBegun);
      await assert.rejects(
        new ToolCaller(() => servers, new OtherSession([root])).call('tasks', 'status', { run_id: id }),
        /no run/,
      );
      taskRuns.closeSession(session.id);
      const ended = await call('tasks', 'status', { run_id: id, wait_ms: 20_000 });
      assert.deepEqual([ended['status'], ended['problem']], ['stopped', 'it was stopped']);
    });

    it('stop a task after its time limit', async () => {
      const ran = await call('tasks', 'run', { name: 'sleep', timeout_ms: 1_000 });
      assert.deepEqual([ran['status'], ran['problem']], ['stopped', 'it took too long']);
    });
  });

  describe('tests', () => {
    it('are run by the editor, which reports each failure', async () => {
      editorTools.answers = { runTests: FAILING.replace('ROOT', root.replaceAll('\\', '/')) };
      const ran = await call('tests', 'run', { files: ['test/todo.spec.ts'], names: ['adds'] });
      assert.deepEqual(editorTools.calls, [
        { name: 'runTests', input: { files: [join(root, 'test/todo.spec.ts')], testNames: ['adds'] } },
      ]);
      assert.deepEqual([ran['status'], ran['passed'], ran['failed']], ['failed', 3, 1]);
      assert.deepEqual(ran['failures'], [
        { name: 'adds two', suite: 'sums > small', path: 'test/todo.spec.ts', line: 7, expected: '3', actual: '4' },
      ]);
      assert.equal(caller.approvals[0]!.title, 'Run tests: test/todo.spec.ts, adds');
      assert.deepEqual(await call('tests', 'result', { run_id: String(ran['run_id']) }), ran);
    });

    it('are run by the test task if the editor has found none', async () => {
      editorTools.answers = { runTests: 'No tests found in the files.' };
      const ran = await call('tests', 'run');
      assert.deepEqual(
        [ran['status'], ran['by'], ran['task'], ran['exit_code'], ran['output_tail']],
        ['passed', 'task', 'all tests', 0, '5 passing\n'],
      );
      assert.match(caller.approvals[0]!.title, /if the editor has found none: Run the task all tests/);
      const one = await call('tests', 'run', { files: ['test/todo.spec.ts'] });
      assert.deepEqual([one['status'], one['problem']], ['failed', 'No tests found in the files.']);
    });

    it('are run by a named task, but single tests are not', async () => {
      const ran = await call('tests', 'run', { task: 'fail' });
      assert.deepEqual([ran['status'], ran['exit_code']], ['failed', 3]);
      await assert.rejects(call('tests', 'run', { names: ['adds'] }), /cannot run chosen tests/);
    });

    it('can be polled while they run, and stop when the call is canceled', async () => {
      let cancelled: (() => void) | undefined;
      const answer = new Promise<never>((_resolve, reject) => {
        cancelled = () => reject(new Error('Canceled'));
      });
      editorTools.answers = { runTests: () => answer };
      const ran = await call('tests', 'run', { names: ['slow'], wait_ms: 0 });
      assert.equal(ran['status'], 'running');
      testRuns.closeSession(session.id);
      cancelled!();
      const ended = await call('tests', 'result', { run_id: String(ran['run_id']), wait_ms: 10_000 });
      assert.equal(ended['status'], 'stopped');
    });
  });

  describe('the debugger', () => {
    after(() => vscode.debug.stopDebugging());

    const debugged = new Set<string>();
    const watching = [
      vscode.debug.onDidStartDebugSession(({ id }) => debugged.add(id)),
      vscode.debug.onDidTerminateDebugSession(({ id }) => debugged.delete(id)),
    ];
    after(() => watching.forEach((one) => one.dispose()));

    /**
     * The adapter's own session, the parent of the program's session, ends some time after it. VS Code may report an ended
     * session as active.
     */
    const nothingDebugged = (): Promise<void> =>
      new Promise((resolve) => {
        const over = (): void => {
          if (debugged.size > 0) return;
          listening.dispose();
          resolve();
        };
        const listening = vscode.debug.onDidTerminateDebugSession(over);
        over();
      });

    it('debugs a program from a breakpoint, with its frames and variables', async () => {
      const set = await call('debugger', 'breakpoint', { op: 'add', path: 'more/program.js', line: 2 });
      assert.deepEqual(set['breakpoints'], [{ path: 'more/program.js', line: 2, enabled: true }]);
      assert.equal(caller.approvals[0]!.always, false);
      assert.deepEqual((await call('debugger', 'state'))['state'], 'none');
      const stopped = await call('debugger', 'control', {
        op: 'start',
        config_name: 'Sample program',
        wait_ms: 40_000,
      });
      assert.equal(caller.approvals.at(-1)!.always, true);
      assert.deepEqual([stopped['state'], stopped['reason']], ['stopped', 'breakpoint'], JSON.stringify(stopped));
      const [frame] = stopped['frames'] as JsonObject[];
      assert.deepEqual([frame!['path'], frame!['line']], ['more/program.js', 2]);
      const values = variablesIn(stopped);
      assert.deepEqual([values['first'], values['second']], ['1', '2']);

      const evaluated = await call('debugger', 'evaluate', { expression: 'first + 40' });
      assert.equal(evaluated['value'], '41');
      assert.match(caller.approvals.at(-1)!.title, /^Evaluate in .*: first \+ 40$/);
      await assert.rejects(call('debugger', 'evaluate', { expression: 'missing' }), /missing is not defined/);

      const stepped = await call('debugger', 'control', { op: 'step_over', wait_ms: 20_000 });
      assert.deepEqual([stepped['reason'], (stepped['frames'] as JsonObject[])[0]!['line']], ['step', 3]);
      assert.equal(variablesIn(stepped)['sum'], '3');
      const outer = (stepped['frames'] as JsonObject[])[1]!;
      const state = await call('debugger', 'state', {
        frame_id: outer['frame_id'] as number,
        variables_depth: 2,
        filter: 'user',
      });
      assert.equal(variablesIn(state)['user.name'], "'Ada'");

      const running = await call('debugger', 'control', { op: 'continue', wait_ms: 0 });
      assert.equal(running['state'], 'running');
      const output = async (): Promise<string> => String((await call('debugger', 'state'))['output_tail']);
      await until(async () => (await output()).includes('sum 3 Ada'));
      const paused = await call('debugger', 'control', { op: 'pause', wait_ms: 20_000 });
      assert.equal(paused['state'], 'stopped');
      const ended = await call('debugger', 'control', { op: 'stop', wait_ms: 20_000 });
      assert.equal(ended['state'], 'ended');
      await nothingDebugged();
    });

    it('always asks about a condition, removes breakpoints, and starts only configurations of launch.json', async () => {
      const place = { path: 'more/program.js', line: 2 };
      const set = await call('debugger', 'breakpoint', { op: 'add', ...place, condition: 'first > 1' });
      assert.deepEqual(set['breakpoints'], [{ ...place, enabled: true, condition: 'first > 1' }]);
      assert.equal(caller.approvals[0]!.always, true);
      assert.deepEqual((await call('debugger', 'breakpoint', { op: 'remove', ...place }))['breakpoints'], []);
      await assert.rejects(call('debugger', 'breakpoint', { op: 'add', ...place, line: 99 }), /has 8 lines/);
      await assert.rejects(call('debugger', 'control', { op: 'start', config_name: 'Other' }), /"Sample program"/);
      await assert.rejects(call('debugger', 'evaluate', { expression: '1' }), /Nothing is being debugged/);
    });
  });

  describe('notebooks', () => {
    const read = (): Promise<JsonObject> => call('notebook', 'read', { path: 'more/cells.ipynb' });
    const sources = (answer: JsonObject): unknown[] => (answer['cells'] as JsonObject[]).map(({ source }) => source);

    it('are read with their outputs, and edited in one step that can be undone', async () => {
      const before = await read();
      assert.deepEqual(sources(before), ['# Title', 'one', 'two']);
      assert.equal((before['cells'] as JsonObject[])[1]!['output_text'], 'kept output\n');
      const path = 'more/cells.ipynb';
      const ops = [
        { op: 'replace', index: 1, source: 'uno' },
        { op: 'insert', index: 1, source: 'first new' },
        { op: 'insert', index: 1, source: 'second new' },
        { op: 'delete', index: 2 },
        { op: 'insert', index: 3, source: 'the *end*', kind: 'markdown' },
      ];
      const done = await call('notebook', 'edit', { path, ops, version: before['version']! });
      assert.deepEqual([done['cell_count'], done['saved']], [5, true]);
      assert.deepEqual(edited, [join(root, path)]);
      assert.deepEqual(caller.approvals[0]!.paths, [join(root, path)]);
      const now = await read();
      assert.deepEqual(sources(now), ['# Title', 'first new', 'second new', 'uno', 'the *end*']);
      assert.equal((now['cells'] as JsonObject[])[3]!['output_text'], 'kept output\n');
      assert.match(await readFile(join(root, path), 'utf8'), /"uno"/);
      await assert.rejects(call('notebook', 'edit', { path, ops, version: before['version']! }), /has changed/);
      await assert.rejects(call('notebook', 'edit', { path, ops: [{ op: 'delete', index: 9 }] }), /no cell 9/);

      const document = await vscode.workspace.openNotebookDocument(vscode.Uri.file(join(root, path)));
      await vscode.window.showNotebookDocument(document);
      await vscode.commands.executeCommand('undo');
      assert.deepEqual(sources(await read()), ['# Title', 'one', 'two']);
      const unsaved = await call('notebook', 'edit', { path, ops: [{ op: 'replace', index: 2, source: 'dos' }] });
      assert.equal(unsaved['saved'], false);
      await document.save();
      await assert.rejects(call('notebook', 'read', { path: 'more/program.js' }), /cannot be opened as a notebook/);
    });

    it('ask with the scripts in outputs, which run when the notebook is shown', async () => {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      const path = 'more/scripts.ipynb';
      const outputs = [{ output_type: 'display_data', metadata: {}, data: { 'text/html': ['<script>1</script>'] } }];
      const cells = [NOTEBOOK.cells[1], { ...NOTEBOOK.cells[1], outputs }];
      await writeFile(join(root, path), JSON.stringify({ ...NOTEBOOK, cells }));
      caller.isApproved = false;
      await assert.rejects(call('notebook', 'execute', { path, cells: [0] }), /not allowed/);
      const run = { cell: 0, language: 'python', code: 'one' };
      assert.deepEqual(caller.approvals[0]!.runs, [
        run,
        { cell: 1, output: 'text/html', content: '<script>1</script>' },
      ]);
    });

    it('are run with the user’s kernel', async () => {
      const uri = vscode.Uri.file(join(root, 'more/cells.ipynb'));
      const document = await vscode.workspace.openNotebookDocument(uri);
      const kernel = vscode.notebooks.createNotebookController('sample', document.notebookType, 'Sample kernel');
      try {
        kernel.supportedLanguages = ['python'];
        kernel.executeHandler = async (cells, _notebook, controller) => {
          for (const cell of cells) {
            const execution = controller.createNotebookCellExecution(cell);
            execution.start(Date.now());
            const item = vscode.NotebookCellOutputItem.stdout(`ran ${cell.document.getText()}`);
            await execution.replaceOutput([new vscode.NotebookCellOutput([item])]);
            execution.end(true, Date.now());
          }
        };
        kernel.updateNotebookAffinity(document, vscode.NotebookControllerAffinity.Preferred);
        const ran = await call('notebook', 'execute', { path: 'more/cells.ipynb', cells: [1, 2] });
        assert.equal(ran['finished'], true);
        const outputs = (ran['cells'] as JsonObject[]).map(({ output_text: text }) => text);
        assert.deepEqual(outputs, ['ran one', 'ran dos']);
        assert.equal(caller.approvals[0]!.title, 'Run cells 1, 2 of more/cells.ipynb');
        await assert.rejects(call('notebook', 'execute', { path: 'more/cells.ipynb', cells: [0] }), /cannot be run/);
      } finally {
        kernel.dispose();
      }
    });
  });

  describe('selected language model tools', () => {
    it('are offered with plain names, require approval for each call, and are forwarded', async () => {
      editorTools.answers = {
        'other.tool/one': 'answered',
        'not chosen': 'never',
        other_tool_one: async () =>
          new vscode.LanguageModelToolResult([vscode.LanguageModelDataPart.image(new Uint8Array([1, 2]), 'image/png')]),
      };
      chosen = ['other.tool/one', 'other_tool_one', 'gone'];
      const { tools } = servers.find(({ server }) => server.name === 'ide')!.server;
      assert.deepEqual(
        tools.map(({ name, approval, annotations }) => [name, approval, annotations.readOnlyHint]),
        [
          ['other_tool_one', 'always', undefined],
          ['other_tool_one-2', 'always', undefined],
        ],
      );
      assert.ok(!tools[0]!.description.includes('\u200b'));
      assert.equal(servers.find(({ server }) => server.name === 'ide')!.server.tools, tools);
      const answered = await caller.raw('ide', 'other_tool_one', { query: 'x' });
      assert.deepEqual(
        [answered.text, editorTools.calls],
        ['answered', [{ name: 'other.tool/one', input: { query: 'x' } }]],
      );
      const image = await caller.raw('ide', 'other_tool_one-2', {});
      assert.deepEqual(image.content, [{ type: 'image', data: 'AQI=', mimeType: 'image/png' }]);
      assert.equal(caller.approvals.length, 2);
      caller.isApproved = false;
      await assert.rejects(caller.raw('ide', 'other_tool_one', {}), /not allowed/);
      assert.equal(editorTools.calls.length, 2);
      chosen = [];
      assert.deepEqual(servers.find(({ server }) => server.name === 'ide')!.server.tools, []);
    });
  });
});

class OtherSession extends RecordingSession {
  override readonly id = 'other';
}

/** Waits until VS Code has read a settings file. */
async function configured(section: string, key: string): Promise<void> {
  const isThere = (): boolean => {
    const found = vscode.workspace.getConfiguration(section, vscode.Uri.file(workspaceFolder())).inspect(key);
    return found?.workspaceValue !== undefined || found?.workspaceFolderValue !== undefined;
  };
  await until(isThere);
}

function variablesIn({ scopes }: JsonObject): Record<string, unknown> {
  const all = (scopes as JsonObject[]).flatMap(({ variables }) => variables as JsonObject[]);
  return Object.fromEntries(all.toReversed().map(({ name, value }) => [String(name), value]));
}
