import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import Module from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The workflows of GitHub Actions, by GitHub's own parser. */

interface Parser {
  readonly NoOperationTraceWriter: new () => object;
  parseWorkflow(
    file: { name: string; content: string },
    trace: object,
  ): { readonly context: { readonly errors: { getErrors(): readonly { readonly message: string }[] } } };
}

const FOLDER = '.github/workflows';
const { scripts, version } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
  version: string;
};

/** The parser imports JSON, which only bundlers support. */
async function loadParser(): Promise<Parser> {
  const contents = `export * from '@actions/workflow-parser'`;
  const bundled = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    write: false,
  });
  const loaded = new Module('workflow-parser.js');
  loaded.require = createRequire(join(process.cwd(), 'package.json'));
  const compile = Reflect.get(loaded, '_compile') as (this: Module, code: string, name: string) => void;
  compile.call(loaded, bundled.outputFiles[0]!.text, 'workflow-parser.js');
  return loaded.exports as Parser;
}

describe('workflows', () => {
  let parser: Parser;
  before(async () => (parser = await loadParser()));
  const files = readdirSync(FOLDER).map((name) => ({ name, content: readFileSync(join(FOLDER, name), 'utf8') }));
  const errorsOf = (name: string, content: string): readonly string[] =>
    parser
      .parseWorkflow({ name, content }, new parser.NoOperationTraceWriter())
      .context.errors.getErrors()
      .map(({ message }) => message);

  it('have the form that GitHub accepts', () => {
    assert.ok(files.length > 0);
    for (const { name, content } of files) assert.deepEqual(errorsOf(name, content), [], name);
  });

  it('are rejected with an unknown key, value or expression', () => {
    const { content } = files.find(({ name }) => name === 'ci.yml')!;
    for (const [good, bad] of [
      ['runs-on:', 'runs_on:'],
      ['fail-fast: false', 'fail-fast: no way'],
      ['matrix.vscode }}', 'matrix..vscode }}'],
    ] as const) {
      assert.ok(content.includes(good), good);
      assert.notDeepEqual(errorsOf('ci.yml', content.replace(good, bad)), [], bad);
    }
  });

  it('publish only the version of the tag, after all tests have passed', function () {
    const { content } = files.find(({ name }) => name === 'release.yml')!;
    const commands = Array.from(content.matchAll(/^ *- run: (.+)$/gm), ([, line]) => line!);
    const positionOf = (pattern: RegExp): number => commands.findIndex((command) => pattern.test(command));
    const order = [/GITHUB_REF_NAME" = /, /^bash \.ci\/run$/, /package -- --check/, /gh release/].map(positionOf);
    assert.ok(!order.includes(-1), String(order));
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    assert.ok([/vsce publish/, /publish:openvsx/].every((publish) => positionOf(publish) > Math.max(...order)));
    if (process.platform === 'win32') this.skip();
    const check = (tag: string): number | null =>
      spawnSync('bash', ['-c', commands[order[0]!]!], { env: { ...process.env, GITHUB_REF_NAME: tag } }).status;
    assert.deepEqual([check(`v${version}`), check('v99.0.0'), check(version)], [0, 1, 1]);
  });

  it('run only existing scripts and programs', () => {
    const commands = files.flatMap(({ content }) =>
      Array.from(content.matchAll(/^ *- run: (.+)$/gm), ([, line]) => line!),
    );
    assert.ok(commands.length > 5);
    for (const command of commands) {
      const script = /^npm (?:run )?(\S+)/.exec(command)?.[1];
      const file = /^(?:node|bash) (\S+)/.exec(command)?.[1];
      if (file !== undefined) assert.ok(existsSync(file), command);
      else if (script !== undefined) assert.ok(script === 'ci' || script in scripts, command);
    }
  });
});
