// Imported first: later imports get this stub of `vscode`.
import { dialogs } from './editorStub';
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { RestoreCheckpoint } from '../../../../src/review/editor/restoreCheckpoint';
import { readContent } from '../../../../src/review/storage/fileContent';
import type { Session } from '../../../../src/session/session';
import { emptySession } from '../../../../src/shared/state/sessionState';
import type { TurnSummary } from '../../../../src/shared/state/turnSummary';
import { stubOf } from '../../../kit/stubOf';
import { DiskWorld } from '../diskWorld';

const text = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

describe('what the user has changed since a message', () => {
  let world: DiskWorld;
  let turns: TurnSummary[];

  beforeEach(async () => {
    dialogs.asked.length = 0;
    dialogs.answers = [];
    turns = [];
    world = await DiskWorld.open();
    await writeFile(world.at('a.txt'), text('1', '2', '3', '4', '5'));
  });

  afterEach(() => world.close());

  async function turn(work: () => Promise<void>): Promise<void> {
    const entry = turns.length;
    await world.turn(work, entry);
    const ended = { entry, end: entry + 1, ms: 1, tools: 0, stopReason: 'end_turn' };
    turns.push({ ...ended, files: world.turnFiles });
  }

  const write = (content: string): Promise<void> => writeFile(world.at('a.txt'), content);

  async function save(content: string): Promise<void> {
    await world.tracker.updateAttribution(world.at('a.txt'));
    await write(content);
    const saved = await readContent(world.at('a.txt'));
    if (saved && saved !== 'unknown') world.saved.set(world.at('a.txt'), saved);
    await world.tracker.updateAttribution(world.at('a.txt'));
  }

  const restore = (): RestoreCheckpoint => new RestoreCheckpoint(world.checkpoints, () => true);

  const session = (): Session => {
    const mark = { entry: 0, checkpointId: 'x', at: 0, coverage: 'workspace', skipped: 0 } as const;
    return stubOf<Session>({ id: 's', state: { ...emptySession('s'), turns, checkpoints: [mark] } });
  };

  /** Sends the first message again; the user cancels a question. */
  async function resend(): Promise<readonly string[]> {
    await restore().before(session(), 0);
    return dialogs.asked;
  }

  it('is nothing when only the agent has changed the file, in each turn', async () => {
    await turn(() => write(text('agent', '2', '3', '4', '5')));
    await turn(() => write(text('agent', '2', 'agent', '4', '5')));
    assert.deepEqual(await resend(), []);
    assert.equal(await readFile(world.at('a.txt'), 'utf8'), text('1', '2', '3', '4', '5'));
  });

  it('is named although the agent has changed the file again since', async () => {
    await turn(() => write(text('agent', '2', '3', '4', '5')));
    await save(text('agent', '2', '3', '4', 'user'));
    await turn(() => write(text('agent', '2', 'agent', '4', 'user')));
    assert.match((await resend()).join(), /not made by the agent[^]*a\.txt/);
    assert.equal(await readFile(world.at('a.txt'), 'utf8'), text('agent', '2', 'agent', '4', 'user'));
  });

  for (const [where, saved] of [
    ['apart from the agent', text('agent', '2', '3', '4', 'user')],
    ['in a line of the agent', text('user', '2', '3', '4', '5')],
  ] as const)
    for (const number of [1, 2])
      it(`is named when it was changed in turn ${number}, ${where}`, async () => {
        if (number === 2) await turn(() => write(text('before', '2', '3', '4', '5')));
        await turn(async () => {
          await write(text('agent', '2', '3', '4', '5'));
          await save(saved);
        });
        assert.match((await resend()).join(), /not made by the agent[^]*a\.txt/);
        assert.equal(await readFile(world.at('a.txt'), 'utf8'), saved);
      });

  it('is among the named files when there are many', async () => {
    await writeFile(world.at('z.txt'), 'before\n');
    await turn(async () => {
      for (let number = 0; number < 20; number++) await writeFile(world.at(`b${number}.txt`), 'agent\n');
    });
    await writeFile(world.at('z.txt'), 'user\n');
    await restore().restore(session(), 0);
    assert.match(dialogs.asked.join(), /• z\.txt will be changed\n[^]*and 6 more/);
  });
});
