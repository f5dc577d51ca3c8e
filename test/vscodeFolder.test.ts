import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder } from './host/workspace.mjs';

/** The tasks behind F5 and Run Task (.vscode). */

interface Launch {
  readonly name: string;
  readonly type: string;
  readonly args: readonly string[];
  readonly program?: string;
  readonly preLaunchTask: string;
}

interface Task {
  readonly label: string;
  readonly command?: string;
  readonly dependsOn?: string | readonly string[];
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const { configurations } = read('.vscode/launch.json') as { configurations: readonly Launch[] };
const { tasks } = read('.vscode/tasks.json') as { tasks: readonly Task[] };
const { scripts } = read('package.json') as { scripts: Record<string, string> };

const inProject = (text: string): string => text.replaceAll('${workspaceFolder}', process.cwd());

function launchNamed(name: string): Launch {
  const found = configurations.find((launch) => launch.name === name);
  assert.ok(found, name);
  return found;
}

/** The commands of a task and of the tasks that it depends on. */
function commandsOf(label: string): readonly string[] {
  const task = tasks.find((one) => one.label === label);
  assert.ok(task, `no task "${label}"`);
  return [...[task.dependsOn ?? []].flat().flatMap(commandsOf), ...(task.command === undefined ? [] : [task.command])];
}

describe('.vscode', () => {
  it('names only tasks, scripts and programs that exist', () => {
    for (const { preLaunchTask, program } of configurations) {
      assert.notEqual(commandsOf(preLaunchTask).length, 0);
      if (program !== undefined) assert.ok(existsSync(inProject(program)), program);
    }
    for (const command of tasks.flatMap(({ label }) => commandsOf(label))) {
      const script = /^npm (?:run )?(\S+)/.exec(command)?.[1];
      const file = /^node (\S+)/.exec(command)?.[1];
      if (file === undefined) assert.ok(script === 'install' || (script !== undefined && script in scripts), command);
      else assert.ok(existsSync(file), command);
    }
  });

  it('opens a new copy of the sample with the extension, without changes in git', async () => {
    const { args, preLaunchTask } = launchNamed('Run Extension');
    const [development, folder] = args.map(inProject);
    assert.equal(development, `--extensionDevelopmentPath=${process.cwd()}`);
    const command = commandsOf(preLaunchTask).find((one) => one.includes('sample.mjs'));
    assert.equal(join(process.cwd(), command?.split(' ')[2] ?? ''), folder);

    // Separate from the folder that a window may have open now.
    const copy = join('out', 'sampleTest');
    execFileSync(process.execPath, ['test/host/sample.mjs', copy]);
    try {
      const files = (place: string): readonly string[] => readdirSync(place).filter((name) => name !== '.git');
      assert.deepEqual(files(copy), files('test/host/sample'));
      assert.equal(existsSync(join(copy, 'README.md')), true);
    } finally {
      await removeFolder(copy);
    }
  });

  it('refuses to replace a folder outside out', () => {
    const env = { ...process.env, NODE_OPTIONS: '' };
    for (const folder of ['', 'test/host/sample', 'out/../src']) {
      const { status, stderr } = spawnSync(process.execPath, ['test/host/sample.mjs', folder], {
        encoding: 'utf8',
        env,
      });
      assert.deepEqual([status, stderr.trim()], [1, `"${folder}" is not below out.`]);
    }
  });

  it('debugs the unit tests that npm runs', () => {
    const files = (args: readonly string[]): readonly string[] => args.filter((arg) => arg.endsWith('.test.js'));
    const run = (scripts['test:unit'] ?? '').split(' ').map((word) => word.replaceAll("'", ''));
    assert.equal(files(run).length, 2);
    assert.deepEqual(files(launchNamed('Unit Tests').args), files(run));
  });
});
