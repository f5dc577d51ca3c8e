// npm run odd [-- [--parts=page,unit] condition...]: runs tests under conditions that other machines have, one after the other, and prints
// a table. Without a condition: all. Exits with 1 if tests fail under one. What this machine cannot make is named, and is no failure.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { reason, run, seconds } from './run.mjs';
import { makeTemporaryFolder, removeFolder } from './workspace.mjs';

/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:9';
const NOWHERE = '/no/such/folder';
const UNIT = ['quick', 'processes'];
const BROWSER = [...UNIT, 'page'];
const GIT = [...UNIT, 'git'];

/** @param {string} script Runs the command as `"$@"`. */
const shell = (script) => ['sh', '-c', script, 'sh'];

/** Own mounts, which only this command sees. A user other than root becomes root in it. */
const mounting = (script) => [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
  '--mount',
  ...shell(`${script} && exec "$@"`),
];

/** A home folder with this git configuration. */
function homeWith(folder, config) {
  const home = join(folder, 'git home');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, '.gitconfig'), config);
  return { HOME: home, XDG_CONFIG_HOME: home };
}

/** Only the installed fonts whose files have this name. */
async function onlyFonts(folder, name) {
  const { code, output } = await run('fc-list', ['--format', '%{file}\n']);
  const files = output.split('\n').filter((file) => code === 0 && basename(file).startsWith(name));
  if (files.length === 0) throw new Error(`no font ${name} is installed`);
  const fonts = join(folder, name);
  mkdirSync(fonts);
  for (const file of new Set(files)) symlinkSync(file, join(fonts, basename(file)));
  const config = `${fonts}.conf`;
  const places = `<dir>${fonts}</dir><cachedir>${fonts}.cache</cachedir>`;
  writeFileSync(config, `<?xml version="1.0"?><fontconfig>${places}</fontconfig>`);
  return { FONTCONFIG_FILE: config };
}

function writeHosts(folder) {
  writeFileSync(join(folder, 'hosts'), '::1 localhost\n');
  return { ODD_HOSTS: join(folder, 'hosts') };
}

const fonts = (name) => ({ env: (folder) => onlyFonts(folder, name), parts: ['page'] });
const timeZone = (name, minutes) => ({
  env: () => ({ TZ: name }),
  holds: `new Date(2026, 0).getTimezoneOffset() === ${minutes}`,
  parts: BROWSER,
});
const locale = (name, tag) => ({
  env: () => ({ LC_ALL: name, LANG: name }),
  holds: `new Intl.NumberFormat().resolvedOptions().locale === '${tag}'`,
  parts: BROWSER,
});
const npm = (version) => ({
  probe: ['npx', '--yes', `npm@${version}`, '--version'],
  // npm starts the tests, so the command is left out.
  before: shell(`shift 2; npx --yes npm@${version} ci --dry-run && exec npx --yes npm@${version} test -- "$@"`),
});

/**
 * By name: `env` makes the variables, in a folder for the files that they name; `before` comes before the command; `holds` is an
 * expression for Node that tells whether the condition was made (or `probe` a command); `parts` default to `UNIT`.
 */
const conditions = {
  'fonts DejaVu': fonts('DejaVu'),
  'fonts Liberation': fonts('Liberation'),
  'fonts Noto': fonts('Noto'),
  'time zone UTC+14': timeZone('Pacific/Kiritimati', -840),
  'time zone UTC-3:30': timeZone('America/St_Johns', 210),
  'locale de_DE': locale('de_DE.UTF-8', 'de-DE'),
  'locale tr_TR': locale('tr_TR.UTF-8', 'tr-TR'),
  'locale C': locale('C', 'en-US'),
  'umask 077': { before: shell('umask 077; exec "$@"'), holds: 'process.umask() === 0o077', parts: GIT },
  'home with a blank': { env: (folder) => homeWith(folder, ''), parts: BROWSER },
  'long temporary path': {
    env: (folder) => {
      const TMPDIR = join(folder, 'long'.repeat(30));
      mkdirSync(TMPDIR);
      return { TMPDIR };
    },
    parts: [...BROWSER, 'git'],
  },
  'temporary folder in memory': {
    env: (folder) => {
      const TMPDIR = join(folder, 'memory');
      mkdirSync(TMPDIR);
      return { TMPDIR };
    },
    before: mounting('mount -t tmpfs none "$TMPDIR"'),
    holds: "require('fs').statfsSync(require('os').tmpdir()).type === 0x1021994",
    parts: GIT,
  },
  'git without a user': { env: (folder) => homeWith(folder, '[user]\n\tuseConfigOnly = true\n'), parts: GIT },
  'git settings': {
    env: (folder) =>
      homeWith(
        folder,
        '[core]\n\tautocrlf = true\n[init]\n\tdefaultBranch = trunk\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n',
      ),
    parts: GIT,
  },
  'git variables': {
    env: () => ({
      GIT_DIR: join(NOWHERE, '.git'),
      GIT_WORK_TREE: NOWHERE,
      GIT_INDEX_FILE: join(NOWHERE, 'index'),
      GIT_OBJECT_DIRECTORY: join(NOWHERE, 'objects'),
      GIT_AUTHOR_DATE: 'no date',
      GIT_EXTERNAL_DIFF: 'false',
      GIT_TRACE: '1',
    }),
    parts: GIT,
  },
  NODE_OPTIONS: { env: () => ({ NODE_OPTIONS: '--inspect=0 --trace-warnings' }), parts: BROWSER },
  'dead proxy': {
    env: () =>
      Object.fromEntries(
        ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
          [name, DEAD],
          [name.toLowerCase(), DEAD],
        ]),
      ),
    parts: BROWSER,
  },
  'IPv6 localhost': {
    env: writeHosts,
    before: mounting('mount --bind "$ODD_HOSTS" /etc/hosts'),
    holds: "/^::1 /.test(require('child_process').execFileSync('getent', ['ahosts', 'localhost']))",
    parts: BROWSER,
  },
  'no /dev/shm': {
    before: mounting('mount -t tmpfs -o ro none /dev/shm'),
    holds: "/ .dev.shm tmpfs ro/.test(require('fs').readFileSync('/proc/mounts'))",
    parts: ['page'],
  },
  'user without rights': {
    before: ['unshare', '--user', '--map-user=1000', '--map-group=1000'],
    holds: 'process.getuid() === 1000',
    parts: GIT,
  },
  'npm 10': npm(10),
  'npm 11': npm(11),
  'colors forced': { env: () => ({ FORCE_COLOR: '3' }) },
  'no colors': { env: () => ({ NO_COLOR: '1' }) },
  'dumb terminal': { env: () => ({ TERM: 'dumb' }) },
};

/** @returns {Promise<{ result: 'green' | 'red' | 'impossible', why: string }>} */
async function runUnder({ env: variables, before = [], holds = 'true', probe, parts = UNIT }, folder, asked) {
  try {
    // Outside of CI, tests that this machine skips are no failures.
    const env = { ...process.env, CI: undefined, ...(await variables?.(folder)) };
    const [command, ...args] = probe ?? [...before, process.execPath, '-e', `process.exit(${holds} ? 0 : 1)`];
    const made = await run(command, args, { env });
    if (made.code !== 0) return { result: 'impossible', why: made.output.trim() || `not true: ${holds}` };
    const [first, ...rest] = [...before, process.execPath, 'test/host/test.mjs', ...(asked ?? parts)];
    const { code, output } = await run(first, rest, { env });
    return { result: code === 0 ? 'green' : 'red', why: code === 0 ? output.trimEnd().split('\n').at(-1) : output };
  } catch (error) {
    return { result: 'impossible', why: reason(error) };
  }
}

async function main() {
  const { values, positionals } = parseArgs({ options: { parts: { type: 'string' } }, allowPositionals: true });
  const unknown = positionals.filter((name) => !Object.hasOwn(conditions, name));
  if (unknown.length > 0) {
    console.error(
      `There is no condition "${unknown.join('", "')}". Conditions: ${Object.keys(conditions).join(', ')}.`,
    );
    process.exit(2);
  }
  const rows = [];
  for (const name of positionals.length > 0 ? positionals : Object.keys(conditions)) {
    const folder = await makeTemporaryFolder('odd');
    const start = performance.now();
    const { result, why } = await runUnder(conditions[name], folder, values.parts?.split(','));
    await removeFolder(folder);
    if (result === 'red') console.log(`\n=== ${name}\n${why}`);
    const last = result === 'red' ? why.trimEnd().split('\n').at(-1) : why;
    rows.push(`${name.padEnd(22)}${result.padEnd(12)}${seconds(start).padStart(7)}  ${last}`);
    console.log(rows.at(-1));
  }
  console.log(`\n${rows.join('\n')}`);
  process.exitCode = rows.some((row) => row.slice(22).startsWith('red')) ? 1 : 0;
}

await main();
