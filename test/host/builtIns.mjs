// Built-in extensions of VS Code that tests use. Loading all of them takes longer than the rest of a window's start.
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './run.mjs';

const names = [
  'configuration-editing',
  'git',
  'git-base',
  'javascript',
  'json',
  'json-language-features',
  'markdown-basics',
  'theme-defaults',
  'theme-seti',
  'typescript-basics',
  'typescript-language-features',
  // Not an extension: TypeScript's extensions load their compiler from here.
  'node_modules',
];

/**
 * Fills a folder for the server's option `builtIns`.
 * @param {string} folder created when missing
 * @param {string[]} more names of further built-in extensions
 */
export async function linkBuiltIns(folder, more = []) {
  const all = join(root, 'test/host/node_modules/code-server/lib/vscode/extensions');
  await mkdir(folder, { recursive: true });
  for (const name of [...names, ...more]) await symlink(join(all, name), join(folder, name));
}
