import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settlesWithin } from '../../src/base/async';
import type { Session } from '../../src/session/session';
import { entriesFrom } from '../../src/shared/state/entryPages';
import type { TestApi } from '../../src/testApi';
import { render } from '../replay/render';
import { until } from '../integration/clientHelp';
import type { ScriptName, UserActs } from './soakRounds';
import { SCRIPTS } from './soakRounds';

/** Milliseconds until a turn counts as hung, on a busy machine. */
const HUNG_MS = 60_000;

/** One user with one chat and one file, and what both must hold. */
export class SoakUser {
  readonly #api: TestApi;
  readonly #file: string;
  #session: Session;
  /** Prompts of the session, in order. */
  #sent: string[] = [];
  /** Content of the file; undefined: it does not exist. `kept`: what Undo brings back. */
  #now: string | undefined;
  #kept: string | undefined;
  /** The numbers of scripts are unique in a run. */
  static #count = 0;

  constructor(api: TestApi, folder: string, name: string) {
    this.#api = api;
    this.#file = join(folder, `${name}.txt`);
    this.#session = api.sessions.create(randomUUID());
  }

  async open(): Promise<void> {
    await this.#session.chooseAgent('Soak');
  }

  /** Sends, shows and stops, all without waiting. */
  begin({ sends, stops, shows }: UserActs): void {
    for (const name of sends) {
      const text = this.#script(name);
      this.#sent.push(text);
      void this.#session.send(text);
    }
    if (shows) this.#api.sessions.activate(this.#session);
    // Nothing else would end these.
    if (stops || sends.includes('wait')) this.#stopAll();
  }

  /** Resolves when the agent has done everything. */
  async settle(): Promise<void> {
    const settled = until(this.#session.onDidDispatch, () => this.#isIdle());
    if (!(await settlesWithin(settled, HUNG_MS))) {
      const { turn, turns, queue } = this.#session.state;
      const state = JSON.stringify({ turn, turns: turns.length, queue, sent: this.#sent.length });
      assert.fail(`hangs: ${state}, ${render(this.#session.state).slice(-2000)}`);
    }
    await this.#api.engine.flush();
  }

  async end({ ending }: UserActs): Promise<void> {
    const { review } = this.#api.engine;
    const { id } = this.#session;
    if (ending === 'keep') {
      await review.keepAll(id);
      this.#kept = this.#now;
    } else if (ending === 'undo' || ending === 'undoAndRedo') {
      const before = this.#now;
      assert.deepEqual((await review.undoAll(id)).problems, []);
      this.#now = this.#kept;
      await this.#checkFile('after Undo All');
      if (ending === 'undoAndRedo' && before !== this.#kept) {
        assert.deepEqual((await review.undoLast()).problems, []);
        this.#now = before;
      }
    } else if (ending === 'reopen') await this.#reopen();
    else if (ending === 'newChat') await this.#newChat();
    await this.#api.engine.flush();
    await this.#checkFile(ending);
    const isChanged = review.files(this.#session.id).length > 0;
    assert.equal(isChanged, this.#now !== this.#kept, `changes to review after ${ending}`);
  }

  /** The transcript has each message once and in order, and under it what its script says. */
  check(): void {
    const turns: { prompt: string; said: string }[] = [];
    for (const [, entry] of entriesFrom(this.#session.state.entries)) {
      if (entry.kind === 'user') turns.push({ prompt: entry.text, said: '' });
      else if (entry.kind === 'agent' && turns.length > 0) turns[turns.length - 1]!.said += entry.text;
    }
    assert.deepEqual(
      turns.map(({ prompt }) => prompt),
      this.#sent,
      'the messages of the transcript',
    );
    for (const [at, { prompt, said }] of turns.entries()) {
      const expected = tokens(prompt.replaceAll(/^(?!text).*$/gm, ''));
      const found = tokens(said).slice(0, expected.length);
      const isWhole = this.#session.state.turns[at]?.stopReason === 'end_turn';
      assert.deepEqual(
        found,
        isWhole ? expected : expected.slice(0, found.length),
        `the answer to ${prompt}, in ${JSON.stringify(render(this.#session.state))}`,
      );
    }
  }

  async close(): Promise<void> {
    await this.#api.engine.review.keepAll(this.#session.id);
    await this.#remove();
  }

  /** What the file may hold now: what it held, or one of the texts that scripts have written since. */
  async read(sends: readonly ScriptName[]): Promise<void> {
    const found = await this.#onDisk();
    if (found === this.#now) return;
    const written = this.#sent.slice(-sends.length || this.#sent.length).flatMap((text) => writes(text));
    assert.ok(found !== undefined && written.includes(found), `the file holds ${JSON.stringify(found)}`);
    this.#now = found;
  }

  #isIdle(): boolean {
    const { turn, turns, queue } = this.#session.state;
    if (turn.status === 'running') return false;
    if (queue.messages.length > 0 && queue.paused) this.#session.queue.resume();
    // A message has left the queue before its turn begins.
    return queue.messages.length === 0 && turns.length === this.#sent.length;
  }

  #stopAll(): void {
    const stop = (): void => {
      if (this.#session.state.turn.status === 'running') this.#session.turn.stop();
    };
    stop();
    // Each turn that waits to be stopped, of the queue too.
    const session = this.#session;
    const subscription = session.onDidDispatch(({ action }) => {
      if (action.type === 'textAppended') stop();
      if (this.#isIdle() || session !== this.#session) subscription.dispose();
    });
  }

  /** A chat without messages is in no list. */
  async #remove(): Promise<void> {
    if (this.#sent.length > 0) await this.#api.catalog.remove(this.#session.id);
    else await this.#api.sessions.close(this.#session);
  }

  async #reopen(): Promise<void> {
    if (this.#sent.length === 0) return;
    const { id } = this.#session;
    const before = this.#session.state.entries.count;
    await this.#api.sessions.close(this.#session);
    const session = await this.#api.sessions.load(id);
    assert.ok(session, 'the closed session can be opened again');
    this.#session = session;
    assert.equal(session.state.entries.count, before, 'entries after closing and opening');
  }

  async #newChat(): Promise<void> {
    await this.#api.engine.review.keepAll(this.#session.id);
    this.#kept = this.#now;
    this.check();
    await this.#remove();
    this.#session = this.#api.sessions.create(randomUUID());
    this.#sent = [];
    await this.open();
  }

  async #checkFile(when: string): Promise<void> {
    assert.equal(await this.#onDisk(), this.#now, `the file ${when}`);
  }

  async #onDisk(): Promise<string | undefined> {
    return existsSync(this.#file) ? readFile(this.#file, 'utf8') : undefined;
  }

  #script(name: ScriptName): string {
    return SCRIPTS[name]
      .map((line) => line.replaceAll('%', () => String(SoakUser.#count++)).replaceAll('FILE', this.#file))
      .join('\n');
  }
}

function tokens(text: string): readonly string[] {
  return text.match(/\bt\d+[ab]\b/g) ?? [];
}

function writes(script: string): readonly string[] {
  return Array.from(script.matchAll(/^(?:write|disk) \S+ (\w+)\\n$/gm), ([, text]) => `${text}\n`);
}
