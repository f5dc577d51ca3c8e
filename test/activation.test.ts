import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { provideVscode } from './kit/provideVscode';

/** Budget in bytes for shipped code that an activation may read and compile, in a window that does not use Parley. */
const BUDGET = 60_000;

/** A stub with every member, which can be called and constructed and returns itself. */
const anything: unknown = new Proxy(Object, {
  get: (_target, key) => (key === 'then' || key === Symbol.toPrimitive ? undefined : anything),
  set: () => true,
  apply: () => anything,
  construct: () => anything as object,
});

/** The parts of `vscode` that an activation uses. */
const names = ['commands', 'env', 'l10n', 'languages', 'window', 'workspace', 'CodeActionKind', 'ExtensionMode'];
names.push('MarkdownString', 'StatusBarAlignment', 'SymbolKind');
const vscode = Object.fromEntries(names.map((name) => [name, anything]));

describe('the activation of the shipped extension', () => {
  const dist = join(process.cwd(), 'out', 'package', 'dist') + sep;
  let restore: () => void;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-activation-'));
    restore = provideVscode(vscode);
  });

  after(async () => {
    restore();
    await rm(folder, { recursive: true, force: true });
  });

  it(`loads at most ${BUDGET / 1000} KB of code`, async () => {
    const requires = createRequire(join(dist, 'extension.js'));
    const extension = requires('./extension.js') as {
      activate(context: object): Promise<unknown>;
      deactivate(): Promise<void>;
    };
    const uri = { fsPath: folder };
    const packageJSON = { version: '0.0.0', contributes: { commands: [{ command: 'parley.newChat' }] } };
    const globalState = { get: () => true };
    await extension.activate({ extension: { packageJSON }, globalState, storageUri: uri, globalStorageUri: uri });
    const files = Object.keys(requires.cache).filter((file) => file.startsWith(dist));
    const sizes = files.map((file) => [relative(dist, file), statSync(file).size] as const);
    const sum = sizes.reduce((total, [, size]) => total + size, 0);
    assert.ok(files.length > 1, 'extension.js imports the rest');
    assert.ok(sum <= BUDGET, `${sum} bytes: ${sizes.map((size) => size.join(' ')).join(', ')}`);
    await extension.deactivate();
  });
});
