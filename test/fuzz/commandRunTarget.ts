import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { decideByPolicy } from '../../src/permissions/permissionPolicy';
import { ruleEngine } from '../../src/permissions/ruleEngine';
import { protectedReason } from '../../src/permissions/rules/protectedPaths';
import { SessionApprovals } from '../../src/permissions/sessionApprovals';
import type { AuthorizationRequest } from '../../src/session/sessionHandle';
import { decideAuthorization, authorizationRuleRequest } from '../../src/session/userRequests/clientAuthorization';
import { emptyPolicy } from '../unit/permissions/emptyPolicy';
import type { Target } from './target';
import { anyInput } from './target';

/** Depth of the workspace in the temporary folder: more than the number of `..` in any line. */
const DEPTH = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'ws'];
/** Content of every file that must not be read. */
const SECRET = 'SECRET-7f3a';
/** An unknown program: it runs its arguments from the first one that is a program. */
const WRAPPER = `#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in
    run|exec|--|deep|*=*) shift ;;
    *) command -v -- "$1" >/dev/null 2>&1 && exec "$@"; exit 0 ;;
  esac
done
`;
/** Timeout of a line in milliseconds. */
const LONGEST = 10_000;

const NAMES = [
  'a',
  'b',
  'A',
  'sub',
  'sub/c',
  'sub/deep',
  '.env',
  '.ENV',
  '.git',
  '.git/config',
  '.git/hooks',
  'package.json',
  'link',
  'up',
  'x.txt',
];
const UPWARD = [
  '..',
  '../out',
  '../out/f',
  'sub/..',
  'sub/../.env',
  'link/..',
  'link/../f',
  'up/a',
  'up/../b',
  './a',
  'sub/./c',
  'sub//c',
];
const PATTERNS = [
  'sub/*',
  'link/*',
  'up/*',
  '*.txt',
  'su*',
  'sub/c*',
  '*',
  '.e*',
  '.g*/config',
  's?b/c',
  '[ab]',
  '{a,b}',
  '$HOME',
  '~',
  '$X',
  '"$(echo a)"',
];
const path = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 3, arbitrary: fc.constantFrom(...UPWARD) },
  { weight: 1, arbitrary: fc.constantFrom(...PATTERNS) },
);

/** Programs that do no harm in a folder of their own, with the relevant options. None removes folders or uses the network. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  cat: ['', '-n'],
  head: ['', '-c5', '-n 1'],
  sort: ['', '-u', '-o', '-uo', '--output=sub/new', '-T sub'],
  uniq: ['', '-c'],
  cp: ['', '-r', '-t', '-b', '-S on -b', '-a', '-P'],
  mv: ['', '-t', '-T', '-n'],
  ln: ['-s', '', '-sf', '-s -t'],
  touch: ['', '-c', '-r'],
  mkdir: ['', '-p'],
  tee: ['', '-a'],
  grep: [
    '-r .',
    '-h . --include=*.txt -r',
    '-rh . --include=*',
    '-rh . --include=.e*',
    '-h .',
    '-rn .',
    '-d recurse .',
    '-f',
  ],
  diff: ['', '-r', '-u'],
  sed: ['-n p', '-n "w new"', '-i s/l/L/', '-in p'],
  xxd: ['', '-r', '-p'],
  od: ['-c'],
  echo: ['', 'text'],
  test: ['-f', '-d'],
  wc: ['', '-l', '--files0-from=a'],
  find: ['', '. -name', '-maxdepth 1'],
  gzip: ['', '-k', '-d'],
  ls: ['', '-la', '-R'],
  strings: ['', '@a'],
  // Unknown programs, which run their arguments as a command.
  flock: ['a cat'],
  chrt: ['-o 0 cat', '-o 0 sh -c'],
  setarch: ['cat'],
  './wrap': ['cat', 'run cat', '-- cat', 'X=a cat', 'rm -r', 'sh -c', 'ln -s'],
};

const simple = fc
  .tuple(fc.constantFrom(...Object.keys(PROGRAMS)), fc.nat(9), fc.array(path, { maxLength: 3 }))
  .map(([program, option, words]) => {
    const options = PROGRAMS[program] ?? [''];
    return [program, options[option % options.length], ...words].filter((word) => word !== '').join(' ');
  });
const redirected = fc
  .tuple(simple, fc.constantFrom('', '', '', ' > ', ' >> ', ' < ', ' 2> ', ' &> '), path)
  .map(([line, operator, file]) => (operator === '' ? line : `${line}${operator}${file}`));
const placed = fc
  .tuple(
    fc.constantFrom('', '', '', 'cd sub && ', 'cd link; ', 'cd up && ', 'cd sub/..; ', 'X=.env; ', 'X=a '),
    redirected,
  )
  .map((parts) => parts.join(''));
const wrapped = fc
  .tuple(
    fc.constantFrom(
      '',
      '',
      '',
      'sh -c',
      'bash -ec',
      'bash -c -x',
      'timeout 5',
      'env',
      'env -C sub',
      'nice',
      'env -S',
      'command',
      'time -f x',
      'time -p',
      './wrap',
      './wrap -- sh -c',
      './wrap deep sh -c',
    ),
    placed,
  )
  .map(([wrapper, line]) => {
    if (wrapper === '') return line;
    return /c$|x$|S$/.test(wrapper) ? `${wrapper} '${line.replaceAll("'", '')}'` : `${wrapper} ${line}`;
  });
const line = fc
  .array(wrapped, { minLength: 1, maxLength: 3 })
  .chain((lines) => fc.constantFrom('; ', ' && ', ' || ', ' | ').map((joint) => lines.join(joint)));

/** Links of the workspace: to one of its folders, to a protected file, out of it, to a missing file. */
const links = fc.record({
  link: fc.constantFrom('sub', 'sub/deep', '.git', '.git/hooks', '../out', '../out/new', '.env', 'a'),
  up: fc.constantFrom('.', '..', 'sub', '../out'),
});

/** Snapshot of a file tree: the content of each path, for a comparison. */
type Tree = ReadonlyMap<string, string>;

function treeOf(root: string, below = ''): Map<string, string> {
  const tree = new Map<string, string>();
  for (const name of readdirSync(join(root, below))) {
    const place = join(below, name);
    const found = lstatSync(join(root, place));
    if (found.isSymbolicLink()) tree.set(place, `-> ${readlinkSync(join(root, place))}`);
    else if (found.isDirectory()) {
      tree.set(place, 'folder');
      for (const [inner, text] of treeOf(root, place)) tree.set(inner, text);
    } else tree.set(place, readFileSync(join(root, place), 'latin1'));
  }
  return tree;
}

/** Changed paths that are protected or outside the workspace; and paths that contain content that must not be read. */
function touched(before: Tree, after: Tree): string[] {
  const workspace = `${DEPTH.join('/')}/`;
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter((at) => before.get(at) !== after.get(at));
  return changed.filter((at) => {
    if (!at.startsWith(workspace)) return true;
    const isLeak = after.get(at)?.includes(SECRET) === true && before.get(at)?.includes(SECRET) !== true;
    return isLeak || protectedReason(at.slice(workspace.length), 'writes') !== undefined;
  });
}

/**
 * Lines that run without permission by `terminal/create` do not change anything protected or outside: generated lines are
 * checked, and those allowed are run.
 */
export class CommandRunTarget implements Target {
  readonly name = 'commands that run';
  #root = '';
  /** Count of lines that ran without permission: a target that asks about everything would find nothing. */
  ran = 0;
  readonly #decides: (line: string, folder: string) => boolean;

  /** @param decides Whether a line runs in a folder without permission; default: as Parley decides. */
  constructor(decides = runsUnasked) {
    this.#decides = decides;
  }

  open(): Promise<void> {
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-commands-')));
    return Promise.resolve();
  }

  close(): Promise<void> {
    rmSync(this.#root, { recursive: true, force: true });
    return Promise.resolve();
  }

  property(): ReturnType<Target['property']> {
    return anyInput(fc.property(links, line, (layout, text) => this.#try(layout, text)));
  }

  #try(layout: Readonly<Record<string, string>>, text: string): void {
    const workspace = this.#lay(layout);
    if (!this.#decides(text, workspace)) return;
    this.ran += 1;
    const before = treeOf(this.#root);
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', text], {
      cwd: workspace,
      env: { PATH: '/usr/bin:/bin', HOME: join(this.#root, 'home'), LC_ALL: 'C' },
      timeout: LONGEST,
      input: '',
      encoding: 'latin1',
    });
    assert.deepEqual(touched(before, treeOf(this.#root)), [], `ran unasked: ${text}`);
    assert.ok(!`${stdout}${stderr}`.includes(SECRET), `ran unasked and printed what may not be read: ${text}`);
  }

  /**
   * Creates a workspace and a folder beside it.
   * @returns The workspace.
   */
  #lay(layout: Readonly<Record<string, string>>): string {
    for (const name of readdirSync(this.#root)) rmSync(join(this.#root, name), { recursive: true, force: true });
    const workspace = join(this.#root, ...DEPTH);
    for (const folder of ['sub/deep', '.git/hooks', '../out']) mkdirSync(join(workspace, folder), { recursive: true });
    mkdirSync(join(this.#root, 'home'));
    for (const file of [
      'a',
      'b',
      'A',
      'sub/c',
      'sub/deep/f',
      'x.txt',
      'package.js',
      'package.json',
      '.git/config',
      '.git/hooks/f',
    ])
      writeFileSync(join(workspace, file), `line of ${file}\n`);
    writeFileSync(join(workspace, 'wrap'), WRAPPER, { mode: 0o755 });
    writeFileSync(join(workspace, '-n.txt'), 'line of -n.txt\n');
    for (const file of ['.env', '.ENV', '../out/f', '../f'])
      writeFileSync(join(workspace, file), `${SECRET} of ${file}\n`);
    for (const [name, target] of Object.entries(layout)) symlinkSync(target, join(workspace, name));
    assert.equal(dirname(workspace), join(this.#root, ...DEPTH.slice(0, -1)));
    return workspace;
  }
}

const NO_APPROVALS = new SessionApprovals(() => ruleEngine);

function runsUnasked(text: string, folder: string): boolean {
  const question: AuthorizationRequest = {
    kind: 'execute',
    title: text,
    otherwise: 'allow',
    command: { line: text, shell: 'posix', cwd: folder },
  };
  const session = { agent: 'A', folders: [folder], confined: undefined };
  const request = authorizationRuleRequest(question, session);
  const ruled = decideByPolicy(emptyPolicy(), 's', request);
  return decideAuthorization(question, request, ruled, session, NO_APPROVALS).decision === 'allow';
}
