import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asArray, asObject, asString } from '../../src/base/json';
import type { JsonObject } from '../../src/base/json';
import { entryAt } from '../../src/shared/state/entryPages';
import type { RecordedLine } from '../../src/shared/traffic/trafficRecording';
import { parseRecording } from '../../src/shared/traffic/trafficRecording';
import { replayTraffic } from './player';
import { render } from './render';
import { ReplayBench } from './replayBench';

/** Every recording, replayed by the replay agent to a real session: the transcript matches the golden file. */
const folder = join(process.cwd(), 'test/replay');

describe('replay agent', () => {
  const names = readdirSync(join(folder, 'traffic'))
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => file.replace(/\.jsonl$/, ''))
    // Forms are not filled in here, and requests of Cursor's own are not asked again.
    .filter((name) => name !== 'rustsdk-updates' && name !== 'cursorcli-plan');

  for (const name of names) {
    it(`${name} produces its transcript`, async () => {
      const file = join(folder, 'traffic', `${name}.jsonl`);
      const bench = new ReplayBench(file);
      try {
        const text = await playAll(bench, parseRecording(readFileSync(file, 'utf8')));
        assert.equal(
          comparable(text, bench.folder),
          comparable(readFileSync(join(folder, 'golden', `${name}.txt`), 'utf8')),
        );
        assert.deepEqual(
          bench.stderr().filter((line) => line.startsWith('Deviation')),
          [],
        );
      } finally {
        await bench.close();
      }
    });
  }
});

/** Repeats the recorded user's actions: prompts and permission decisions. */
async function playAll(bench: ReplayBench, lines: readonly RecordedLine[]): Promise<string> {
  const session = await bench.open();
  await session.chooseAgent('Replay');
  const history = entriesOf(render(replayTraffic(beforePrompts(lines))));
  await bench.until(
    (state) => state.agentSession !== undefined && entriesOf(comparable(render(state), bench.folder)) === history,
  );
  const answers = answersOf(lines);
  const answering = session.onDidAsk((index) => {
    const entry = entryAt(session.state.entries, index);
    const optionId = answers.shift();
    if (entry?.kind !== 'permission') throw new Error('not a question');
    if (optionId === undefined) session.turn.stop();
    else session.userRequests.answer(entry.permissionId, optionId);
  });
  for (const prompt of promptsOf(lines)) await session.send(prompt);
  await bench.until((state) => state.turn.status === 'idle' && hasLastWords(state, lines));
  answering.dispose();
  return render(session.state);
}

/** Updates before the first prompt: the history of a loaded session. */
function beforePrompts(lines: readonly RecordedLine[]): { dir: string; msg: JsonObject }[] {
  const messages = lines.flatMap((line) => ('msg' in line ? [line] : []));
  const first = messages.findIndex(({ dir, msg }) => dir === 'out' && msg['method'] === 'session/prompt');
  return messages.slice(0, first);
}

function entriesOf(text: string): string {
  return text.slice(text.indexOf('\n\n'));
}

/** Updates after the end of the turn are still in transit then: commands and usage, wherever the recording has them. */
function hasLastWords(state: Parameters<typeof render>[0], lines: readonly RecordedLine[]): boolean {
  const told = (kind: string): boolean =>
    lines.some((line) => 'msg' in line && updateOf(line.msg)['sessionUpdate'] === kind);
  const commands = !told('available_commands_update') || state.commands.length > 0;
  return commands && (!told('usage_update') || state.usage !== undefined);
}

function updateOf(message: JsonObject): JsonObject {
  return asObject(asObject(message['params'])?.['update']) ?? {};
}

function promptsOf(lines: readonly RecordedLine[]): string[] {
  return lines.flatMap((line) => {
    if (line.dir !== 'out' || !('msg' in line) || line.msg['method'] !== 'session/prompt') return [];
    const blocks = asArray(asObject(line.msg['params'])?.['prompt']);
    return [blocks.map((block) => asString(asObject(block)?.['text']) ?? '').join('')];
  });
}

/** The selected option of each permission request, in order; undefined where the turn was canceled instead. */
function answersOf(lines: readonly RecordedLine[]): (string | undefined)[] {
  const messages = lines.flatMap((line) => ('msg' in line ? [{ dir: line.dir, msg: line.msg }] : []));
  return messages.flatMap(({ dir, msg }, at) => {
    if (dir !== 'in' || msg['method'] !== 'session/request_permission') return [];
    const later = messages
      .slice(at)
      .find(({ dir: by, msg: answer }) => by === 'out' && !('method' in answer) && answer['id'] === msg['id']);
    return [asString(asObject(asObject(later?.msg['result'])?.['outcome'])?.['optionId'])];
  });
}

/** Lines that only a session adds: the title from the first prompt, the canceled turn, the new session. */
const OF_THE_SESSION = /^title: .*\n|^\[notice\] (?:Canceled|Agent restarted)\n/gm;

function comparable(text: string, place?: string): string {
  const inPlace =
    place === undefined ? text : text.replaceAll(place, '/workspace').replaceAll(place.slice(1), 'workspace');
  return inPlace.replaceAll(OF_THE_SESSION, '').replaceAll('=> you stopped the turn', '=> stopped');
}
