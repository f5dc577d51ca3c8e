import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { errorMessage } from '../base/errors';
import { isObject } from '../base/json';
import { parseRecording } from '../shared/traffic/trafficRecording';
import { ReplayPlayer } from './replayPlayer';

/** Entry of dist/replay.js: an ACP agent on stdin and stdout that plays the recording named by its argument. */
function main(): void {
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  const [file = ''] = process.argv.slice(2);
  try {
    const player = new ReplayPlayer(parseRecording(readFileSync(file, 'utf8')), {
      send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
      print,
    });
    process.stdout.on('error', () => process.stdin.destroy());
    createInterface({ input: process.stdin }).on('line', (line) => {
      const message: unknown = JSON.parse(line);
      if (isObject(message)) player.receive(message);
    });
  } catch (error) {
    print(`${file} cannot be played: ${errorMessage(error)}`);
    process.exitCode = 1;
  }
}

main();
