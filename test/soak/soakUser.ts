import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestApi } from '../../src/app';
import { settlesWithin } from '../../src/base/async';
import { nullLogger } from '../../src/base/logger';
import { EditAndResend } from '../../src/session/commands/editAndResend';
import type { LiveSession } from '../../src/session/liveSession';
import { entriesFrom } from '../../src/shared/state/entryPages';
import { untilEvent } from '../kit/waiting';
import { render } from '../replay/render';
import type { SaidLog } from './saidLog';
import type { ScriptName, UserActs } from './soakRounds';
import { SCRIPTS } from './soakRounds';

/** Sent after the answer to a prompt: it may arrive after the next prompt was sent. */
const LATE = /\bl\d+\./g;
/** Milliseconds until a turn counts as hung, on a busy machine. */
const HUNG_MS = 60_000;

/** One user with one chat and one file, and the expected content of both. */
export class SoakUser {
  readonly #api: TestApi;
  readonly #file: string;
  #session: LiveSession;
  /** Prompts of the session, in order. */
  #sent: string[] = [];
  /** Content of the file; undefined: it does not exist. `kept`: what Undo restores. */
  #now: string | undefined;
  #kept: string | undefined;
  /** Content of the file, and number of messages, before this round. */
  #before: { readonly now: string | undefined; readonly sent: number } = { now: undefined, sent: 0 };
  readonly #said: SaidLog;
  readonly #resending: EditAndResend;
  /** The numbers of scripts are unique in a run. */
  static #count = 0;

  constructor(api: TestApi, folder: string, name: string, said: SaidLog) {
    this.#api = api;
    this.#said = said;
    this.#resending = new EditAndResend({
      sessions: api.sessions,
      log: nullLogger,
      read: async () => [],
      filesBefore: (from, entry) => api.reviewEditor.filesBefore(from, entry),
      inherit: (from, to, cut) => api.reviewService.inherit(from, to, cut),
    });
    this.#file = join(folder, `${name}.txt`);
    this.#session = api.sessions.open.create(randomUUID());
  }

  async open(): Promise<void> {
    await this.#session.chooseAgent('Soak');
  }

  /** Sends, shows and stops, all without waiting. */
  begin({ sends, stops, shows }: UserActs): void {
    this.#before = { now: this.#now, sent: this.#sent.length };
    for (const name of sends) {
      const text = this.#script(name);
      this.#sent.push(text);
      void this.#session.send(text);
    }
    if (shows) this.#api.sessions.activate(this.#session);
    // Nothing else would end these.
    if (stops || sends.includes('wait')) this.#stopAll();
  }

  /** Resolves when the agent has finished all work. */
  async settle(): Promise<void> {
    const settled = untilEvent(this.#session.onDidDispatch, () => this.#isIdle());
    if (!(await settlesWithin(settled, HUNG_MS))) {
      const { turn, turns, queue } = this.#session.state;
      const state = JSON.stringify({ turn, turns: turns.length, queue, sent: this.#sent.length });
      assert.fail(`hangs: ${state}, ${render(this.#session.state).slice(-2000)}`);
    }
    await this.#api.reviewService.flush();
  }

  async end({ ending }: UserActs): Promise<void> {
    const { review } = this.#api.reviewService;
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
    } else if (ending === 'restore') await this.#restore();
    else if (ending === 'resend') await this.#resend();
    else if (ending === 'fork') await this.#fork();
    else if (ending === 'reopen') await this.#reopen();
    else if (ending === 'newChat') await this.#newChat();
    await this.#api.reviewService.flush();
    await this.#checkFile(ending);
    const isChanged = review.files(this.#session.id).length > 0;
    assert.equal(isChanged, this.#now !== this.#kept, `changes to review after ${ending}`);
  }

  /** The transcript has each message once and in order, followed by the output in the agent's own log. */
  check(): void {
    const turns: { prompt: string; said: string; tools: string[] }[] = [];
    for (const [, entry] of entriesFrom(this.#session.state.entries)) {
      const last = turns.at(-1);
      if (entry.kind === 'user') turns.push({ prompt: entry.text, said: '', tools: [] });
      else if (entry.kind === 'agent' && last) last.said += entry.text;
      else if (entry.kind === 'tool' && last) last.tools.push(entry.title);
    }
    assert.deepEqual(
      turns.map(({ prompt }) => prompt),
      this.#sent,
      'the messages of the transcript',
    );
    for (const [at, { prompt, said, tools }] of turns.entries()) {
      const logged = this.#said.turn(prompt);
      const isWhole = this.#session.state.turns[at]?.stopReason === 'end_turn';
      const where = `the answer to ${prompt}, in ${JSON.stringify(render(this.#session.state))}`;
      // After the turn, or before the agent's exit, more may have been sent than has arrived.
      const isAll = isWhole && !/^(?:error|kill|exit|stop)/m.test(prompt);
      const [found, all] = [said, logged.text].map((text) => text.replaceAll(LATE, ''));
      assert.equal(found, isAll ? all : all?.slice(0, found?.length), where);
      // Parley requests permission for code in arguments with its own card.
      const cards = [...logged.tools, ...(prompt.startsWith('terminal ') ? ["node -e 'console.log(1)'"] : [])];
      assert.deepEqual(tools, isAll ? cards : cards.slice(0, tools.length), where);
      const expected = tokens(prompt.replaceAll(/^(?!text).*$/gm, ''));
      if (isWhole) assert.deepEqual(tokens(said).slice(0, expected.length), expected, where);
    }
  }

  async close(): Promise<void> {
    await this.#api.reviewService.review.keepAll(this.#session.id);
    await this.#remove();
  }

  /** Allowed content of the file: the previous content, or one of the texts that scripts have written since. */
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
    // A message leaves the queue before its turn starts.
    return queue.messages.length === 0 && turns.length === this.#sent.length;
  }

  #stopAll(): void {
    const stop = (): void => {
      if (this.#session.state.turn.status === 'running') this.#session.turn.stop();
    };
    stop();
    // Each turn that waits to be stopped, including queued ones.
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

  /** Restores the state before this round, and redoes it. */
  async #restore(): Promise<void> {
    const { checkpoints } = this.#api.reviewService;
    const entry = this.#firstOfRound();
    if (entry === undefined) return;
    const { id } = this.#session;
    const restored = await checkpoints.restore(id, entry);
    assert.deepEqual(restored.problems, []);
    const now = this.#now;
    this.#now = this.#before.now;
    await this.#checkFile('after Restore Checkpoint');
    assert.deepEqual((await checkpoints.undoRestore(id, restored.undoId ?? '')).problems, []);
    this.#now = now;
  }

  /** Edits and resends the first message of this round. */
  async #resend(): Promise<void> {
    const entry = this.#firstOfRound();
    if (entry === undefined) return;
    const before = this.#session;
    const text = this.#script('talk');
    const resent = await this.#resending.resend(before.id, entry, text, []);
    assert.ok(resent.type === 'ready', resent.type);
    this.#said.forget(this.#sent.splice(this.#before.sent));
    this.#sent.push(text);
    const resentSession = this.#api.sessions.getOpen(resent.session.id);
    assert.ok(resentSession);
    this.#session = resentSession;
    this.#now = this.#before.now;
    await resent.start();
    await this.settle();
    await this.#api.catalog.remove(before.id);
  }

  /** Continues in a fork; the agent may have lost the session when it was killed. */
  async #fork(): Promise<void> {
    const before = this.#session;
    if (this.#sent.length === 0 || !before.binding.current) return;
    await this.#api.reviewService.review.keepAll(before.id);
    this.#kept = this.#now;
    this.#session = await this.#api.catalog.fork(before.id);
    assert.equal(this.#session.state.turns.length, before.state.turns.length, 'turns of the fork');
    await this.#api.catalog.remove(before.id);
  }

  /** The entry of the first message of this round, if it has a checkpoint. */
  #firstOfRound(): number | undefined {
    const messages = Array.from(entriesFrom(this.#session.state.entries)).filter(([, { kind }]) => kind === 'user');
    const entry = messages[this.#before.sent]?.[0];
    return this.#session.state.checkpoints.some((mark) => mark.entry === entry) ? entry : undefined;
  }

  async #reopen(): Promise<void> {
    if (this.#sent.length === 0) return;
    const { id } = this.#session;
    const before = this.#session.state.entries.count;
    await this.#api.sessions.close(this.#session);
    const session = await this.#api.sessions.open.load(id);
    assert.ok(session, 'the closed session can be opened again');
    this.#session = session;
    assert.equal(session.state.entries.count, before, 'entries after closing and opening');
  }

  async #newChat(): Promise<void> {
    await this.#api.reviewService.review.keepAll(this.#session.id);
    this.#kept = this.#now;
    this.check();
    await this.#remove();
    this.#said.forget(this.#sent);
    this.#session = this.#api.sessions.open.create(randomUUID());
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
