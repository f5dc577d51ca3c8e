import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { JsonObject } from '../../src/base/json';
import { asObject } from '../../src/base/json';
import { render } from '../replay/render';
import { SessionBench } from '../unit/session/sessionBench';
import type { Edit } from './hostile';
import { edited, edits } from './hostile';
import { agentMessages } from './recordings';
import type { Target } from './target';
import { anyInput } from './target';

/** Milliseconds after which a turn that the agent has ended counts as hung. */
const PATIENCE = 10_000;
/** Turns per chat: each read of a growing transcript gets slower. */
const TURNS = 100;

const message = fc.record({
  message: fc.constantFrom(...agentMessages.map(addressed)),
  change: edits,
  /** Id of a response: an unknown one, or that of the current prompt. */
  id: fc.constantFrom<unknown>('$PROMPT', 99_999, 'nobody', null, 0),
});

/** Adapts the message to the current chat. */
function addressed(recorded: JsonObject): JsonObject {
  const params = asObject(recorded['params']);
  return params?.['sessionId'] === undefined ? recorded : { ...recorded, params: { ...params, sessionId: '$SESSION' } };
}

/**
 * Modified messages of real agents, through a real process, the dispatcher, the SDK, a session and its history. The turn ends,
 * later messages arrive, and the connection stays open.
 */
export class WireTarget implements Target {
  readonly name = 'wire';
  #bench: SessionBench | undefined;
  #turns = 0;

  property(): ReturnType<Target['property']> {
    return anyInput(fc.asyncProperty(fc.array(message, { maxLength: 5 }), (messages) => this.#play(messages)));
  }

  async close(): Promise<void> {
    await this.#bench?.close();
    this.#bench = undefined;
  }

  async #play(messages: readonly { message: JsonObject; change: readonly Edit[]; id: unknown }[]): Promise<void> {
    const bench = (this.#bench ??= await SessionBench.open());
    if (this.#turns++ % TURNS === 0) bench.sessions.newChat('fake');
    const marker = `marker ${this.#turns}`;
    const raw = messages.map(({ message, change, id }) => {
      const own = 'method' in message ? message : { ...message, id };
      return `raw ${JSON.stringify(edited(own, change)).replaceAll('"$PROMPT"', '$PROMPT')}`;
    });
    try {
      await within(PATIENCE, Promise.all([arrives(bench, marker), bench.send(...raw, `text ${marker}`)]));
      assert.equal(bench.session.state.connection.status, 'ready');
      assert.equal(typeof render(bench.session.state), 'string');
    } catch (error) {
      // The next case starts with a new process.
      await this.close();
      throw error;
    }
  }
}

function arrives(bench: SessionBench, marker: string): Promise<void> {
  return new Promise((resolve) => {
    const subscription = bench.session.onDidDispatch(({ action }) => {
      if (action.type !== 'textAppended' || !action.text.includes(marker)) return;
      subscription.dispose();
      resolve();
    });
  });
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The turn did not end within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
