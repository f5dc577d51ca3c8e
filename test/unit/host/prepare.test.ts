import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../../kit/temporaryFolder';

/** Has a lock as apt-get has, notes what it installs, and installs Chromium. */
const APT_GET = `
  const fs = require('node:fs');
  const [command, ...args] = process.argv.slice(2);
  fs.mkdirSync('LOCK');
  if (command === 'install') fs.appendFileSync('INSTALLED', args.filter((one) => !one.startsWith('-')).join(' ') + '\\n');
  if (args.includes('chromium-headless-shell')) fs.writeFileSync('chromium-headless-shell', '');
  setTimeout(() => fs.rmdirSync('LOCK'), 50);
`;
const SUDO = `
  const args = process.argv.slice(3);
  process.exitCode = args[0] === 'true' ? 0 : require('node:child_process').spawnSync(args[0], args.slice(1), { stdio: 'inherit' }).status;
`;

describe('the installation of what the tests need', () => {
  let folder: string;

  /** Puts a program on PATH, which is this folder only. */
  async function addProgram(name: string, source: string): Promise<void> {
    const inFolder = `process.chdir(${JSON.stringify(folder)});\n${source}`;
    await writeFile(join(folder, name), `#!${process.execPath}\n${inFolder}`);
    await chmod(join(folder, name), 0o755);
  }

  beforeEach(async () => {
    folder = temporaryFolder();
    await symlink('/usr/bin/env', join(folder, 'env'));
    await addProgram('apt-get', APT_GET);
    await addProgram('sudo', SUDO);
    await addProgram('fc-list', '');
  });

  (process.platform === 'linux' ? it : it.skip)(
    'runs one apt-get at a time, and installs no fonts of the page',
    async () => {
      const module = pathToFileURL(join(process.cwd(), 'test/host/prepare.mjs')).href;
      const code = `import { prepare } from '${module}'; console.log(JSON.stringify(await prepare('chromium', 'fonts')));`;
      const said = await new Promise<string>((resolve) => {
        const env = { PATH: folder };
        const args = ['--input-type=module', '--eval', code];
        execFile(process.execPath, args, { env }, (_, out, errors) => resolve(out + errors));
      });
      assert.match(said, /\{\}\n$/);
      const installed = await readFile(join(folder, 'INSTALLED'), 'utf8');
      assert.equal(installed, 'chromium-headless-shell\nfonts-wqy-microhei\n');
    },
  );
});
