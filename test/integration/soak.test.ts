import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import { entryAt } from '../../src/shared/state/entryPages';
import { fakeAgent } from '../fakeAgent/definition';
import { temporaryFolder } from '../kit/temporaryFolder';
import { measure, report } from '../soak/gauges';
import { UnexplainedLog } from '../soak/logCauses';
import { SaidLog } from '../soak/saidLog';
import { PEOPLE, roundsOf } from '../soak/soakRounds';
import { SoakUser } from '../soak/soakUser';
import { makeInside, remove } from './clientHelp';

/** Set by `npm run soak`. The full test run plays only a few rounds. */
const minutes = Number(process.env['PARLEY_SOAK_MINUTES'] ?? 0);
const seed = Number(process.env['PARLEY_SOAK_SEED'] ?? 1);
const file = process.env['PARLEY_SOAK_REPORT'];
const snapshot = process.env['PARLEY_SOAK_SNAPSHOT'];
const SHORT_ROUNDS = 5;
const CAPABILITIES = {
  promptCapabilities: { embeddedContext: true },
  sessionCapabilities: { close: {}, delete: {}, fork: {}, resume: {} },
};
/** Rounds between two measurements. */
const STEP = 5;

/** Users with their own chats, and unusual agents, for a long time. */
describe('a soak in the extension host', function () {
  this.timeout(minutes * 60_000 + 300_000);
  let api: TestApi;
  let folder: string;
  let store: string;
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('parley');

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    store = temporaryFolder();
    const { command, args, env } = fakeAgent({
      FAKE_STORE: join(store, 'sessions'),
      FAKE_SAID: join(store, 'said.jsonl'),
      FAKE_CAPABILITIES: JSON.stringify(CAPABILITIES),
    });
    await settings().update('agents', { Soak: { command, args, env } }, vscode.ConfigurationTarget.Global);
    folder = await makeInside('soak');
  });
  after(async () => {
    await settings().update('agents', undefined, vscode.ConfigurationTarget.Global);
    await remove(folder);
  });

  it(`loses no message, file or change, and leaves nothing behind (seed ${seed})`, async () => {
    const rejections: unknown[] = [];
    const rejected = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', rejected);
    const answering = api.sessions.onDidAsk(({ session, entry }) => {
      const request = entryAt(session.state.entries, entry);
      if (request?.kind === 'permission' && request.options[0])
        session.userRequests.answer(request.permissionId, request.options[0].optionId);
    });
    const logged = new UnexplainedLog(api.log);
    const said = new SaidLog(join(store, 'said.jsonl'));
    const users = Array.from({ length: PEOPLE }, (_, at) => new SoakUser(api, folder, `user${at}`, said));
    for (const user of users) await user.open();
    const samples = [];
    const end = Date.now() + minutes * 60_000;
    let round = 0;
    try {
      for (const acts of roundsOf(seed)) {
        if (minutes > 0 ? Date.now() > end : round >= SHORT_ROUNDS) break;
        round += 1;
        const shown = `round ${round}: ${JSON.stringify(acts)}`;
        try {
          for (const [at, user] of users.entries()) user.begin(acts[at]!);
          for (const user of users) await user.settle();
          for (const [at, user] of users.entries()) await user.read(acts[at]!.sends);
          for (const [at, user] of users.entries()) await user.end(acts[at]!);
          for (const user of users) user.check();
        } catch (error) {
          throw new Error(`${shown}\n${String(error)}`, { cause: error });
        }
        // A few samples are not judged, and each walks the whole heap.
        if (minutes > 0 && round % STEP === 0) samples.push({ round, ...measure(api.sessions.active, answering) });
      }
    } finally {
      answering.dispose();
      process.off('unhandledRejection', rejected);
      logged.dispose();
    }
    for (const user of users) await user.close();
    if (snapshot) writeHeapSnapshot(snapshot);
    const rows = report(samples);
    if (file) await writeFile(file, `${round} rounds of ${PEOPLE} users, seed ${seed}\n${rows.join('\n')}\n`);
    assert.deepEqual(rejections, []);
    // Timeouts on a busy machine are logged as well: only a dedicated run must have none.
    const unexplained = minutes > 0 ? logged.lines : [];
    assert.deepEqual([...new Set(unexplained)], [], 'logged above info, without a cause in a script');
    assert.deepEqual(
      rows.filter((row) => row.includes('RISES')),
      [],
    );
  });
});
