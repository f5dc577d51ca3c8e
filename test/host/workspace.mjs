// The workspace that tests and `npm start` open: a fresh copy of ./sample, so that a run leaves no changes.
import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative, resolve, sep } from 'node:path';
import { atExit } from './cleanup.mjs';
import { root, run } from './run.mjs';

/** Per temporary folder: unregisters its removal at exit. */
const forget = new Map();

/**
 * Creates a folder in the system's temporary folder, with symbolic links resolved (VS Code compares paths as text).
 * @param {string} name Purpose, used in its name.
 */
export async function makeTemporaryFolder(name) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `parley-${name}-`)));
  forget.set(
    folder,
    atExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })),
  );
  return folder;
}

/** Removes a folder recursively. An exiting process may still write to it, so removal is retried for two seconds. */
export async function removeFolder(folder) {
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  forget.get(folder)?.();
  forget.delete(folder);
}

/**
 * Copies the sample project and makes it a git repository with one commit, where git is installed.
 * @param {import('./hostTypes').WorkspaceOptions} [options]
 * @returns {Promise<import('./hostTypes').Workspace>}
 */
export async function makeWorkspace(options = {}) {
  const parent = await makeTemporaryFolder('workspace');
  const folder = join(parent, 'sample');
  await mkdir(folder);
  if (options.sample !== false) await copySample(folder);
  const sample = await readFiles(folder);
  await writeFiles(folder, options.files ?? {});
  let files = await readFiles(folder);
  if (options.git !== false) await makeRepository(folder);
  const place = options.otherFiles ? await addFolder(parent, options.otherFiles) : folder;
  const restore = () => restoreFiles(folder, files);
  const replace = async (others) => {
    files = new Map([...sample, ...Object.entries(others).map(([path, text]) => [normalize(path), Buffer.from(text)])]);
    await restore();
    if (options.git !== false) await commitAll(folder, '--amend', '--allow-empty');
  };
  return { folder, place, restore, replace, dispose: () => removeFolder(parent) };
}

/** @returns {Promise<string>} The `.code-workspace` file of both folders. */
async function addFolder(parent, files) {
  await writeFiles(join(parent, 'other'), files);
  const place = join(parent, 'both.code-workspace');
  await writeFile(place, JSON.stringify({ folders: [{ path: 'sample' }, { path: 'other' }] }));
  return place;
}

async function writeFiles(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

function copySample(folder) {
  return cp(join(root, 'test', 'host', 'sample'), folder, { recursive: true });
}

/**
 * Replaces a folder by a copy of the sample project, as a git repository with one commit, where git is installed.
 * @param {string} path relative to the project, below `out`: nothing else is removed
 */
export async function replaceBySample(path) {
  const folder = resolve(root, path);
  if (!folder.startsWith(join(root, 'out') + sep)) throw new Error(`"${path}" is not below out.`);
  await removeFolder(folder);
  await copySample(folder);
  await makeRepository(folder);
}

/** Path → content of every file below a folder, except git's files. */
async function readFiles(folder) {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((one) => one.isFile())
    .map((one) => relative(folder, join(one.parentPath, one.name)))
    .filter((path) => path.split(sep)[0] !== '.git');
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path))])));
}

/** Writes only files that differ, because VS Code watches these files. Empty folders may remain. */
async function restoreFiles(folder, wanted) {
  const found = await readFiles(folder);
  for (const path of found.keys()) if (!wanted.has(path)) await rm(join(folder, path), { force: true });
  for (const [path, content] of wanted) {
    if (found.get(path)?.equals(content)) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

function git(folder, ...args) {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '' };
  return run('git', args, { cwd: folder, env });
}

async function makeRepository(folder) {
  if ((await git(folder, 'init', '--quiet', '--initial-branch=main')).code !== 0) return;
  await git(folder, 'config', 'user.name', 'Parley sample');
  await git(folder, 'config', 'user.email', 'sample@localhost');
  await commitAll(folder);
}

async function commitAll(folder, ...options) {
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--message', 'Sample project', ...options);
}
