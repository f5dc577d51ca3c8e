import { ParleyError, messageOf } from '../base/errors';
import { entriesFrom } from '../shared/entries';
import type { LinkedSession } from './agents';
import type { Binding } from './binding';
import type { Prompts } from './prompts';
import type { Message } from './steering';
import { steer } from './steering';
import type { TurnRunner } from './turn';

export interface SendingOptions {
  readonly session: LinkedSession;
  readonly binding: Binding;
  readonly turn: TurnRunner;
  /** The session's agent; gives it one when it has none. */
  readonly agentName: () => string;
  /** The agent may echo this message. The result is called when it did not take the message. */
  readonly expectEcho: (sent: string) => () => void;
  /** The person's prompt files. */
  readonly prompts?: Pick<Prompts, 'expand'>;
  readonly now: () => number;
}

/** Brings the person's messages to the agent. */
export class Sending {
  readonly #options: SendingOptions;

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  /** See `Session.send`. */
  async send(text: string): Promise<void> {
    if (text.trim() === '') return;
    const message = this.#expand(text);
    if (!message) return;
    const { session, turn, agentName } = this.#options;
    const { connection } = session.state;
    if (session.state.turn.status !== 'running') {
      await turn.run(agentName(), message);
      return;
    }
    if (connection.status === 'ready' && connection.steers) await this.#steer(message);
    // The page sends nothing while a turn runs, but its message may cross the turn's beginning.
    else this.#giveBack('Not sent: a turn was running', text);
  }

  /** Sends the last prompt again. */
  async retry(): Promise<void> {
    const prompt = Array.from(entriesFrom(this.#options.session.state.entries))
      .toReversed()
      .find(([, entry]) => entry.kind === 'user')?.[1];
    if (prompt?.kind === 'user') await this.send(prompt.text);
  }

  /** Puts the text of a prompt file in place of its name; undefined when that cannot be done, which is said. */
  #expand(text: string): Message | undefined {
    const { prompts, session } = this.#options;
    try {
      const expansion = prompts?.expand(text, session.state.commands);
      return { text, ...(expansion && { expansion }) };
    } catch (error) {
      const next = ParleyError.is(error) ? error.nextStep : undefined;
      this.#giveBack(`Not sent: ${[messageOf(error), next].filter(Boolean).join('. ')}`, text);
      return undefined;
    }
  }

  /** What was not sent is not lost. */
  #giveBack(title: string, text: string): void {
    const { session, now } = this.#options;
    session.dispatch({ type: 'noticeShown', severity: 'warning', title, text, at: now() });
  }

  async #steer(message: Message): Promise<void> {
    const { session, binding, now, expectEcho } = this.#options;
    const prompt = (again: string): Promise<void> => this.send(again);
    await steer(message, { session, binding, now, prompt, expectEcho });
  }
}
