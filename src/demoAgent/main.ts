import { Readable, Writable } from 'node:stream';
import type { WritableStream } from 'node:stream/web';
import { ndJsonStream } from '@agentclientprotocol/sdk/unstable';
import { createDemoAgent } from './demoAgent';
import { paceFromEnvironment } from './pacing';

/** Entry of dist/lib/demo.js: one ACP connection on stdin and stdout; stderr is a log. */
function main(): void {
  const pace = paceFromEnvironment(process.env, (line) => process.stderr.write(`${line}\n`));
  // A disconnected client breaks the pipe, which ends the connection without a crash.
  process.stdout.on('error', () => process.stdin.destroy());
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
  // The end of stdin closes the connection, which cancels all turns; the process then exits.
  createDemoAgent(pace).connect(ndJsonStream(output, input));
}

main();
