import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { readTranscript, transcriptFile } from '../../../src/history/transcriptFile';
import { TranscriptWriter } from '../../../src/history/transcriptWriter';
import type { Action } from '../../../src/shared/state/sessionActions';
import { temporaryFolder } from '../../kit/temporaryFolder';

const WRITER = 'write-until-killed';
const [, , role, target = ''] = process.argv;

/** Notice number `at`, of alternating length, so that a kill also hits the middle of a line. */
function notice(at: number): Action {
  return { type: 'noticeShown', severity: 'info', title: String(at), text: 'x'.repeat((at * 977) % 40_000), at };
}

/** The other process: writes endlessly, and prints the numbers it has written. */
async function writeUntilKilled(folder: string): Promise<void> {
  const history = new TranscriptWriter(folder, 'killed', (error) => {
    throw error;
  });
  for (let at = 0; ; at++) {
    history.append(notice(at));
    // Waits for some writes; the others are still pending when the next one starts.
    if (at % 3 !== 0) continue;
    await history.flush();
    process.stdout.write(`${at}\n`);
  }
}

if (role === WRITER) void writeUntilKilled(target);
else
  describe('a process that is killed while writing', () => {
    let folder = '';

    beforeEach(() => (folder = temporaryFolder()));

    /**
     * Kills a writer with SIGKILL once it has printed this number.
     * @returns The last printed number.
     */
    async function killAfter(number: number): Promise<number> {
      const child = spawn(process.execPath, [__filename, WRITER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      let told = -1;
      for await (const line of createInterface({ input: child.stdout })) {
        told = Number(line);
        if (told >= number) child.kill('SIGKILL');
      }
      await exited;
      assert.equal(child.signalCode, 'SIGKILL');
      return told;
    }

    async function numbers(): Promise<number[]> {
      const transcript = await readTranscript(folder, 'killed');
      assert.ok(transcript);
      assert.ok(transcript.damaged <= 1, `${transcript.damaged} damaged lines`);
      for (const action of transcript.actions) {
        assert.ok('title' in action && 'at' in action);
        assert.deepEqual(action, notice(Number(action.title)), 'every line is whole');
      }
      return transcript.actions.map((action) => ('title' in action ? Number(action.title) : NaN));
    }

    for (const number of [0, 7, 150, 600]) {
      it(`loses at most the line it was writing (killed after ${number})`, async () => {
        const told = await killAfter(number);
        const kept = await numbers();
        assert.deepEqual(
          kept,
          kept.map((_, at) => at),
          'without a gap',
        );
        assert.ok(kept.length > told, `kept ${kept.length}, was told ${told}`);
      });
    }

    it('leaves a file that the next process continues', async () => {
      await killAfter(30);
      const before = await numbers();
      const history = new TranscriptWriter(folder, 'killed', (error) => assert.fail(String(error)));
      history.append(notice(before.length));
      await history.close();
      assert.deepEqual(await numbers(), [...before, before.length]);
      assert.ok((await readFile(transcriptFile(folder, 'killed'), 'utf8')).endsWith('\n'));
    });
  });
