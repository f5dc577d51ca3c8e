import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scenario } from './scenarios';
import { SCENARIOS } from './scenarios';
import { shown } from './shown';

const json = (value: unknown): string => JSON.stringify(value);
const ask = (method: string, params: object): string =>
  `request ${method} ${json({ sessionId: '$SESSION', ...params })}`;
const TERMINAL = { terminalId: '$TERMINAL' };
const NODE = { command: process.execPath, env: [{ name: 'ELECTRON_RUN_AS_NODE', value: '1' }] };

/** A command that runs until it is killed. */
const FOREVER = 'console.log("ready"); setInterval(() => {}, 1000)';

/** Scenarios of features that only VS Code has: file buffers, and terminals in its workspace. */
export const HOST_SCENARIOS: Readonly<Record<string, Scenario>> = {
  hostMarkers: markers(),
  files: {
    where: 'host',
    async play(bench) {
      const { folder } = bench.editor;
      await mkdir(folder, { recursive: true });
      const lines = join(folder, 'lines.txt');
      const open = join(folder, 'open.txt');
      await writeFile(lines, 'one\ntwo\nthree\nfour\n');
      await writeFile(open, 'on disk\n');
      await bench.editor.type(open, 'not saved yet\n');
      const fresh = join(folder, 'new', 'folder', 'made.txt');
      await bench.send(
        ask('fs/read_text_file', { path: open }),
        ask('fs/read_text_file', { path: lines }),
        ask('fs/read_text_file', { path: lines, line: 2, limit: 2 }),
        ask('fs/read_text_file', { path: lines, line: 0, limit: 1 }),
        ask('fs/read_text_file', { path: join(folder, 'missing.txt') }),
        ask('fs/write_text_file', { path: fresh, content: 'made\n' }),
      );
      bench.fact('made', await readFile(fresh, 'utf8').catch(() => 'nothing'));
    },
  },
  terminals: {
    where: 'host',
    async play(bench) {
      const read = [ask('terminal/output', TERMINAL)];
      const { folder } = bench.editor;
      await mkdir(folder, { recursive: true });
      // In files, because programs in arguments require permission.
      const [forever, print] = [join(folder, 'forever.cjs'), join(folder, 'print.cjs')];
      await writeFile(forever, FOREVER);
      await writeFile(print, 'process.stdout.write("€".repeat(100)); process.exitCode = 3');
      await bench.send(
        ask('terminal/create', { ...NODE, args: [forever] }),
        ...read,
        ask('terminal/kill', TERMINAL),
        ask('terminal/wait_for_exit', TERMINAL),
        ...read,
        ask('terminal/release', TERMINAL),
        ...['output', 'wait_for_exit', 'kill', 'release'].map((name) => ask(`terminal/${name}`, TERMINAL)),
      );
      await bench.send(
        ask('terminal/create', {
          ...NODE,
          args: [print],
          outputByteLimit: 10,
        }),
        'tool shown execute Print',
        'fields shown {"content":[{"type":"terminal","terminalId":"$TERMINAL"}]}',
        ask('terminal/wait_for_exit', TERMINAL),
        ...read,
        ask('terminal/release', TERMINAL),
      );
      bench.fact('terminals', Object.values(bench.session.state.terminals));
      bench.fact('shown', shown(bench.session.state));
    },
  },
};

/** The same conversation with a client that has more capabilities. */
function markers(): Scenario {
  const { markers: here } = SCENARIOS;
  if (!here) throw new Error('There is no scenario "markers".');
  return { ...here, where: 'host' };
}
