import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

/** The agent's output in one turn, from its own log. */
export interface Said {
  text: string;
  /** Titles of tool calls, in order. */
  readonly tools: string[];
}

/** The agent's own log (`FAKE_SAID`), by the unique number of each script. */
export class SaidLog {
  readonly #file: string;
  readonly #turns = new Map<string, Said>();
  /** By the agent's id of the session. */
  readonly #current = new Map<string, Said>();
  #offset = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** @param prompt Text of the message. */
  turn(prompt: string): Said {
    this.#read();
    return this.#turns.get(numberOf(prompt)) ?? { text: '', tools: [] };
  }

  /** Drops the turns of these messages, which are no longer in any transcript. */
  forget(prompts: readonly string[]): void {
    for (const prompt of prompts) this.#turns.delete(numberOf(prompt));
  }

  #read(): void {
    if (!existsSync(this.#file)) return;
    const bytes = Buffer.alloc(statSync(this.#file).size - this.#offset);
    const file = openSync(this.#file, 'r');
    readSync(file, bytes, 0, bytes.length, this.#offset);
    closeSync(file);
    const end = bytes.lastIndexOf(0x0a) + 1;
    this.#offset += end;
    for (const line of bytes.toString('utf8', 0, end).split('\n').filter(Boolean)) this.#add(line);
  }

  #add(line: string): void {
    const [session, update] = JSON.parse(line) as [
      string,
      { sessionUpdate: string; content?: { text: string }; title?: string },
    ];
    const { sessionUpdate, content, title } = update;
    if (sessionUpdate === 'user_message_chunk') {
      const said: Said = { text: '', tools: [] };
      this.#current.set(session, said);
      this.#turns.set(numberOf(content?.text ?? ''), said);
    }
    const current = this.#current.get(session);
    if (sessionUpdate === 'agent_message_chunk' && current) current.text += content?.text ?? '';
    if (sessionUpdate === 'tool_call') current?.tools.push(title ?? '');
  }
}

function numberOf(prompt: string): string {
  return /\bt(\d+)a\b/.exec(prompt)?.[1] ?? prompt;
}
