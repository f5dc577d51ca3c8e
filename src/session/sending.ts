import { ParleyError, messageOf } from '../base/errors';
import type { Block } from '../shared/content';
import { entriesFrom } from '../shared/entries';
import type { LinkedSession } from './agents';
import { fitted, promptAbilities } from './attached';
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
  readonly expectEcho: (sent: string, blocks: readonly Block[]) => () => void;
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
  async send(text: string, blocks: readonly Block[] = []): Promise<void> {
    if (text.trim() === '' && blocks.length === 0) return;
    const message = this.#message(text, blocks);
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
    if (prompt?.kind === 'user') await this.send(prompt.text, prompt.blocks);
  }

  /** Puts the text of a prompt file in place of its name, and what was attached in a form that the agent takes; undefined when that cannot be done, which is said. */
  #message(text: string, blocks: readonly Block[]): Message | undefined {
    const { prompts, session, binding } = this.#options;
    try {
      const expansion = prompts?.expand(text, session.state.commands);
      const link = binding.current?.link;
      const abilities = link && promptAbilities(link.connection.state);
      const fit = link && abilities ? fitted(blocks, abilities, link.definition.title) : blocks;
      return { text, ...(expansion && { expansion }), blocks: fit };
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
    const prompt = (again: string, blocks: readonly Block[]): Promise<void> => this.send(again, blocks);
    await steer(message, { session, binding, now, prompt, expectEcho });
  }
}
