import { editor, ShellExecution } from './languageStub';
import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../src/base/json';
import { nullLogger } from '../../../../src/base/logger';
import { BackgroundRuns } from '../../../../src/mcp/builtin/common/backgroundRuns';
import { debuggerServer } from '../../../../src/mcp/builtin/debugger/debuggerServer';
import type { DebugSessionMonitor } from '../../../../src/mcp/builtin/debugger/debugSessionMonitor';
import type { LanguageModelTools } from '../../../../src/mcp/builtin/ide/languageModelTools';
import { tasksServer } from '../../../../src/mcp/builtin/tasks/tasksServer';
import { testsServer } from '../../../../src/mcp/builtin/tests/testsServer';
import * as sdk from '../../../../src/mcp/contract/mcpServerSdk';
import { schemasOf } from '../../../../src/mcp/host/toolSchemas';
import type { Rule } from '../../../../src/permissions/rules/permissionRule';
import { stubOf } from '../../../kit/stubOf';
import { BuiltInBench } from './builtInBench';

describe('the question about running a task', () => {
  let window: BuiltInBench;
  let user: Rule[];
  const watch = stubOf<DebugSessionMonitor>({ nextStop: async () => undefined, phase: () => undefined });

  beforeEach(async () => {
    user = [];
    editor.started = [];
    editor.tasks = [];
    editor.settings.clear();
    editor.settings.set('tasks.tasks', [{ label: 'unit' }, { label: 'other' }]);
    editor.extensions = [];
    const lm = stubOf<LanguageModelTools>({ tools: [] });
    const servers = [
      testsServer(new BackgroundRuns(), lm, nullLogger),
      tasksServer(new BackgroundRuns(), nullLogger),
      debuggerServer(watch),
    ];
    window = await BuiltInBench.open(servers, () => user);
    editor.folder = window.folder;
  });
  afterEach(() => window.close());

  const task = (name: string, line: string, options: object = {}): object => ({
    name,
    source: 'Workspace',
    definition: { type: 'shell', label: name },
    execution: new ShellExecution(line, options),
    problemMatchers: [],
  });
  const runTests = (meanwhile?: () => void) => window.call('tests', 'run', { task: 'unit' }, meanwhile);
  const shownRuns = (): JsonObject[] => (window.shownInput as { runs: JsonObject[] }).runs;

  it('shows every command line that will run, with folder and variables', async () => {
    const line = `echo ${'x'.repeat(5_000)} && touch EVIL`;
    editor.tasks = [
      task('unit', 'echo ok', { env: { LD_PRELOAD: './x' } }),
      task('other', line, { cwd: '/elsewhere' }),
    ];
    editor.settings.set('tasks.tasks', [
      { label: 'unit', dependsOn: ['other', 'gone', { type: 'shell', label: 'other' }] },
      { label: 'other', dependsOn: 'unit' },
    ]);
    const expected = [
      { task: 'gone', command: 'unknown: only the editor knows what it runs' },
      { task: 'other', command: line, folder: '/elsewhere' },
      { task: 'unit', command: 'echo ok', folder: window.folder, variables: { LD_PRELOAD: './x' } },
    ];
    for (const [server, input] of [
      ['tests', { task: 'unit' }],
      ['tasks', { name: 'unit' }],
    ] as const) {
      await window.call(server, 'run', input);
      const shown = shownRuns().toSorted((a, b) => String(a['task']).localeCompare(String(b['task'])));
      assert.deepEqual(shown, expected);
    }
    assert.deepEqual(editor.started, []);
  });

  it('covers for the session only the same commands, folder and variables', async () => {
    window.answer = 'allowSession';
    const isAsked = async (...tasks: object[]): Promise<boolean> => {
      const before = window.asked.length;
      editor.tasks = tasks;
      await runTests();
      return window.asked.length > before;
    };
    assert.deepEqual([await isAsked(task('unit', 'echo ok')), await isAsked(task('unit', 'echo ok'))], [true, false]);
    assert.equal(await isAsked(task('unit', 'touch CHANGED')), true);
    assert.equal(await isAsked(task('unit', 'echo ok', { cwd: `${window.folder}/sub` })), true);
    assert.equal(await isAsked(task('unit', 'echo ok', { env: { CI: '1' } })), true);
    assert.equal(await isAsked(task('unit', 'echo ok')), false);
  });

  it('is asked every time where something is decided only when it runs', async () => {
    editor.tasks = [task('unit', 'echo ${input:what}')];
    await runTests();
    editor.tasks = [task('unit', 'echo ok'), task('other', 'echo other')];
    editor.settings.set('tasks.tasks', [{ label: 'unit', dependsOn: 'other' }]);
    await runTests();
    for (const { options } of window.asked) assert.ok(!options.some(({ optionId }) => optionId === 'allowSession'));
    window.answer = 'allowOnce';
    const changed = await runTests(() => {
      editor.tasks = [task('unit', 'echo ok'), task('other', 'touch CHANGED')];
    });
    assert.match(changed.text, /unit changed while the user was asked/);
    assert.deepEqual(editor.started, []);
  });

  describe('with variables that ask or run something', () => {
    const file = { id: 'file', type: 'command', command: 'x.pick', args: { root: '${input:root}' } };
    const root = { id: 'root', type: 'promptString', default: 'src; touch EVIL' };
    const unknown = 'unknown: only the editor knows what it asks or runs';
    const definitions = (): unknown[] => shownRuns().filter(({ variable }) => variable !== undefined);

    it('shows what a task and the tasks before it ask and run', async () => {
      editor.tasks = [
        task('unit', 'echo ${input:file}'),
        task('other', 'echo ${command:y.run} ${input:gone${input:odd}'),
      ];
      editor.settings.set('tasks.tasks', [{ label: 'unit', dependsOn: 'other', problemMatcher: '${input:twice}' }]);
      const twice = ['a', 'b'].map((description) => ({ id: 'twice', type: 'promptString', description }));
      editor.settings.set('tasks.inputs', [file, root, ...twice, 'no input']);
      await runTests();
      assert.deepEqual(definitions(), [
        { variable: '${command:y.run}', editorCommand: 'y.run' },
        { variable: '${input:gone${input:odd}', definition: unknown },
        { variable: '${input:odd}', definition: unknown },
        { variable: '${input:file}', definition: file },
        { variable: '${input:root}', definition: root },
        { variable: '${input:twice}', definition: twice },
      ]);
    });

    it('cuts long names, and runs no task with more variables than a request shows', async () => {
      editor.tasks = [task('unit', `echo ${'${input:'.repeat(1_000)} \${file:${'x'.repeat(300)}}`)];
      await runTests();
      const shown = definitions();
      assert.ok(shown.length < 40, String(shown.length));
      assert.ok(JSON.stringify(shown).length < 20_000);
      editor.tasks = [task('unit', Array.from({ length: 101 }, (_, at) => `\${input:${at}}`).join(''))];
      const before = window.asked.length;
      assert.match((await runTests()).text, /more than 100 variables/);
      assert.equal(window.asked.length, before);
    });

    it('shows what a debug configuration and its task ask and run', async () => {
      const debuggers = [{ type: 'node', variables: { Pick: 'ext.pick' } }];
      editor.extensions = [{ packageJSON: null }, { packageJSON: { contributes: { debuggers } } }];
      const entry = { name: 'App', type: 'node', processId: '${command:Pick}', args: ['${input:file}'] };
      editor.settings.set('launch.configurations', [{ ...entry, preLaunchTask: 'unit' }]);
      editor.settings.set('launch.inputs', [file]);
      editor.settings.set('tasks.inputs', [root]);
      editor.tasks = [task('unit', 'echo ${input:root}')];
      await window.call('debugger', 'control', { op: 'start', config_name: 'App' });
      assert.deepEqual(definitions(), [
        { variable: '${command:Pick}', editorCommand: 'ext.pick' },
        { variable: '${input:file}', definition: file },
        { variable: '${input:root}', definition: unknown },
        { variable: '${input:root}', definition: root },
      ]);
    });

    it('shows what settings and the active editor give it now, and runs nothing if that changes', async () => {
      window.answer = 'allowOnce';
      const shows = (path: string): void => {
        const document = { uri: { fsPath: path }, getText: () => 'x' };
        editor.active = { document, selection: { active: { line: 1, character: 2 } } };
      };
      shows('/ws/a.js');
      editor.settings.set('app.program', 'node');
      editor.tasks = [task('unit', '${config:app.program} ${file} ${config:app.none}')];
      const run = (meanwhile: () => void) => window.call('tasks', 'run', { name: 'unit' }, meanwhile);
      const opened = await run(() => shows('/ws/evil.js'));
      assert.deepEqual(definitions(), [
        { variable: '${file}', editor: { file: '/ws/a.js', line: 2, column: 3, selected: 'x' } },
        { variable: '${config:app.program}', value: 'node' },
        { variable: '${config:app.none}', value: null },
      ]);
      const set = await run(() => editor.settings.set('app.program', 'evil'));
      for (const { text } of [opened, set]) assert.match(text, /unit changed while the user was asked/);
      assert.deepEqual(editor.started, []);
      editor.active = undefined;
    });

    it('runs nothing if a definition changes while the user is asked', async () => {
      window.answer = 'allowOnce';
      editor.tasks = [task('unit', 'echo ${input:file}')];
      editor.settings.set('launch.configurations', [{ name: 'App', program: '${input:file}' }]);
      for (const [section, server, name, input] of [
        ['tasks', 'tests', 'run', { task: 'unit' }],
        ['tasks', 'tasks', 'run', { name: 'unit' }],
        ['launch', 'debugger', 'control', { op: 'start', config_name: 'App' }],
      ] as const) {
        editor.settings.set(`${section}.inputs`, [file]);
        const { text } = await window.call(server, name, input, () => {
          editor.settings.set(`${section}.inputs`, [{ ...file, command: 'other' }]);
        });
        assert.match(text, /changed while the user was asked/, server);
      }
      assert.deepEqual(editor.started, []);
    });
  });

  it('is not asked where a rule denies one of the commands', async () => {
    user = [{ decision: 'deny', command: 'touch *' }];
    editor.tasks = [task('unit', 'echo ok'), task('other', 'touch EVIL')];
    editor.settings.set('tasks.tasks', [{ label: 'unit', dependsOn: 'other' }]);
    assert.match((await runTests()).text, /tests__run was not allowed: denied/);
    assert.deepEqual(window.asked, []);
  });

  it('is asked whatever a rule allows about files', async () => {
    editor.tasks = [task('unit', 'touch EVIL')];
    const all: readonly Rule[] = [
      { decision: 'allow', kind: 'edit' },
      { decision: 'allow', kind: 'edit', path: '**' },
      { decision: 'allow', path: '**' },
    ];
    for (const rule of all) {
      user = [rule];
      const before = window.asked.length;
      await runTests();
      assert.equal(window.asked.length, before + 1, JSON.stringify(rule));
    }
  });

  it('is asked unless a rule names the tool', async () => {
    window.answer = 'allowOnce';
    user = [{ decision: 'allow', tool: 'tests__run' }];
    editor.tasks = [task('unit', 'echo ok')];
    await runTests();
    assert.deepEqual(window.asked, []);
  });

  it('shows all of a debug configuration, and the tasks around it', async () => {
    const entry = { name: 'App', program: 'app.js', args: ['--evil'], preLaunchTask: 'unit', postDebugTask: 'gone' };
    editor.settings.set('launch.configurations', [entry]);
    editor.settings.set('launch.compounds', [{ name: 'Both', configurations: ['App'] }]);
    editor.tasks = [task('unit', 'touch EVIL')];
    for (const name of ['App', 'Both']) {
      await window.call('debugger', 'control', { op: 'start', config_name: name });
      assert.deepEqual(shownRuns().slice(name === 'Both' ? 1 : 0), [
        entry,
        { task: 'unit', command: 'touch EVIL', folder: window.folder },
        { task: 'gone', command: 'unknown: only the editor knows what it runs' },
      ]);
    }
    assert.deepEqual(editor.started, []);
  });

  it('shows what the parts of a configuration start, also when its server is ready', async () => {
    const hidden = { name: 'Hidden', program: 'evil.js' };
    const app = { name: 'App', program: 'app.js', serverReadyAction: { action: 'startDebugging', name: 'Hidden' } };
    editor.settings.set('launch.configurations', [app, hidden]);
    editor.settings.set('launch.compounds', [{ name: 'Both', configurations: [{ name: 'App', folder: 'x' }] }]);
    await window.call('debugger', 'control', { op: 'start', config_name: 'Both' });
    assert.deepEqual(shownRuns().slice(1), [app, hidden]);
  });

  it('is not asked about a debug configuration in whose place the editor may start another one', async () => {
    const [good, evil] = ['good.js', 'evil.js'].map((program) => ({ program }));
    const start = async (name: string, configurations: object[], compounds: object[] = []): Promise<string> => {
      editor.settings.set('launch.configurations', configurations);
      editor.settings.set('launch.compounds', compounds);
      return (await window.call('debugger', 'control', { op: 'start', config_name: name })).text;
    };
    const tests = { name: 'Tests', ...good };
    const hidden = { name: 'Hidden', ...evil };
    const apps = ['App', 'App', 'App (1)'].map((name, at) => ({ name, ...(at === 1 ? evil : good) }));
    const answers = [
      await start('Tests', [tests, hidden], [{ name: 'Tests', configurations: ['Hidden'] }]),
      await start('App (1)', apps),
      await start('App', apps),
      await start('All', apps, [{ name: 'All', configurations: ['App (1)'] }]),
      await start('Ready', [{ name: 'Ready', serverReadyAction: { name: 'App (1)' } }, ...apps]),
    ];
    for (const text of answers) assert.match(text, /may take another configuration/);
    assert.deepEqual(window.asked, []);
    await start('App (1)', [
      { name: 'App', ...evil },
      { name: 'App (1)', ...good },
    ]);
    await start('Tests', [tests, hidden, tests]);
    assert.equal(window.asked.length, 2);
  });

  it('finds the dependencies of tasks with an old name, and of one system', async () => {
    editor.tasks = [task('unit', 'echo ok'), task('inner', 'echo inner'), task('other', 'touch EVIL')];
    for (const written of [{ taskName: 'inner' }, { label: 5, taskName: 'inner' }]) {
      const inner = { ...written, dependsOn: ['other'] };
      editor.settings.set('tasks.tasks', [{ label: 'unit', dependsOn: ['inner'] }, inner, { label: 'other' }]);
      await runTests();
      assert.deepEqual(
        shownRuns().map((run) => run['task']),
        ['other', 'inner', 'unit'],
      );
    }
    editor.settings.set('tasks.tasks', [{ taskName: 'unit' }, { label: 'other' }]);
    editor.settings.set('tasks.linux.tasks', [{ taskName: 'unit', dependsOn: 'other' }]);
    await runTests();
    assert.equal(shownRuns()[0]?.['command'], 'touch EVIL');
  });

  it('says that a task without an entry may run others, and is asked every time', async () => {
    editor.tasks = [task('unit', 'echo ok')];
    editor.settings.set('tasks.tasks', []);
    await runTests();
    assert.deepEqual(shownRuns()[0], { task: 'unit', dependsOn: 'unknown: only the editor knows what it runs' });
    assert.ok(!window.asked[0]?.options.some(({ optionId }) => optionId === 'allowSession'));
  });

  it('shows settings of the workspace that select the shell or the program', async () => {
    const setting = 'terminal.integrated.profiles.linux';
    const value = { work: { path: '/ws/evil.sh' } };
    const runtime = { 'pwa-node': '/ws/evil' };
    editor.settings.set(setting, value);
    editor.settings.set('debug.javascript.defaultRuntimeExecutable', runtime);
    editor.tasks = [task('unit', 'echo ok')];
    await runTests();
    assert.deepEqual(shownRuns()[0], { setting, value });
    editor.settings.set('launch.configurations', [{ name: 'App' }]);
    await window.call('debugger', 'control', { op: 'start', config_name: 'App' });
    assert.deepEqual(shownRuns().slice(1), [
      { setting, value },
      { setting: 'debug.javascript.defaultRuntimeExecutable', value: runtime },
    ]);
  });

  it('may return a status before it is answered, beside the statuses of the tool', async () => {
    for (const name of ['tests', 'tasks']) {
      const tool = window.server(name).tools.find((each) => each.name === 'run') ?? assert.fail();
      const schema = schemasOf(sdk, tool).output ?? assert.fail();
      for (const [status, isValid] of [
        ['running', true],
        ['awaiting_approval', true],
        ['other', false],
      ] as const) {
        const checked = await schema['~standard'].validate({ run_id: 'r', status });
        assert.equal(checked.issues === undefined, isValid, `${name} ${status}`);
      }
    }
  });
});
