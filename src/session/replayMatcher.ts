import { asObject, asString, canonicalJson } from '../base/json';
import type { JsonObject } from '../base/json';
import { entriesFrom } from '../shared/state/entryPages';
import type { SessionState } from '../shared/state/sessionState';
import type { ToolEntry } from '../shared/state/toolCallState';
import { toToolCallId } from './translate/translateToolCall';

/** A message of the user and what followed it. Texts are without white space, which agents change. */
interface Segment {
  /** As the user wrote it, and as it was sent. */
  readonly user: readonly string[];
  agent: string;
  thought: string;
  readonly tools: ToolEntry[];
}

/** Characters of a text that surely identify it. */
const MIN_START_CHARS = 16;

/**
 * Compares the history that an agent replays with the transcript, whatever its chunks, ids and beginning. What the transcript has is
 * dropped; what the agent knows beyond its end is new. Parts that differ before that are dropped: the transcript is what the user saw.
 */
export class ReplayMatcher {
  readonly #segments: readonly Segment[];
  readonly #hasEnded: boolean;
  #isReplaying: boolean;
  #isBeyond = false;
  /** The replayed segment; -1 before the first. */
  #at = -1;
  readonly #offsets = { user: 0, agent: 0, thought: 0 };
  #user = '';
  /** Characters of the live prompt that the agent has sent back. */
  #echoed = 0;
  #last: JsonObject = {};
  /** Replayed tool calls: those of the transcript, new ones, and ignored ones (undefined). */
  readonly #tools = new Map<string, ToolEntry | 'new' | undefined>();

  /**
   * @param isReplaying the agent surely replays (`session/load`); otherwise a replay begins with a message of the user that answers
   *   nothing here, or with something that the transcript has
   */
  constructor(state: SessionState, isReplaying: boolean) {
    this.#isReplaying = isReplaying;
    this.#segments = segmentsOf(state);
    this.#hasEnded = state.turns.at(-1)?.stopReason === 'end_turn';
  }

  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  /** From here on, the agent tells what the transcript does not have. */
  get isBeyond(): boolean {
    return this.#isBeyond;
  }

  /**
   * @param livePrompt the message that the agent works on, if it got one since
   * @returns the new part; undefined if the transcript has it all
   */
  newPart(update: JsonObject, livePrompt?: string): JsonObject | undefined {
    if (this.#isBeyond) return update;
    const last = this.#last;
    this.#last = update;
    switch (update['sessionUpdate']) {
      case 'user_message_chunk':
        return this.#userChunk(update, last, livePrompt);
      case 'agent_message_chunk':
        return this.#agentChunk('agent', update, livePrompt !== undefined);
      case 'agent_thought_chunk':
        return this.#agentChunk('thought', update, livePrompt !== undefined);
      case 'tool_call':
      case 'tool_call_update':
        return this.#toolCall(update, livePrompt !== undefined);
      default:
        return this.#isReplaying ? undefined : update;
    }
  }

  get #segment(): Segment | undefined {
    return this.#segments[this.#at];
  }

  /** Everything of the last segment was replayed. */
  get #isConsumed(): boolean {
    return this.#at === this.#segments.length - 1 && this.#offsets.agent === (this.#segment?.agent.length ?? 0);
  }

  #enter(at: number): void {
    this.#at = at;
    Object.assign(this.#offsets, { user: 0, agent: 0, thought: 0 });
    this.#tools.clear();
    this.#isReplaying = true;
  }

  #userChunk(update: JsonObject, last: JsonObject, livePrompt: string | undefined): JsonObject | undefined {
    // Only a history has messages of the user that nobody has just sent.
    if (livePrompt === undefined) this.#isReplaying = true;
    const text = bare(textOf(update));
    if (text === '') return this.#isReplaying ? undefined : update;
    const isSame = last['sessionUpdate'] === 'user_message_chunk' && last['messageId'] === update['messageId'];
    const rest = this.#segment?.user.map((known) => known.slice(this.#offsets.user)) ?? [];
    if (this.#isReplaying && isSame && rest.some((known) => known !== '' && known.startsWith(text))) {
      this.#offsets.user += text.length;
      this.#user += text;
      return undefined;
    }
    if (livePrompt !== undefined && bare(livePrompt).startsWith(text, this.#echoed)) {
      this.#echoed += text.length;
      return update;
    }
    const next = this.#segments.findIndex(
      ({ user }, at) => at > this.#at && user.some((known) => known.startsWith(text) || isMore(text, known)),
    );
    if (next >= 0) {
      this.#enter(next);
      this.#offsets.user = text.length;
      this.#user = text;
      return undefined;
    }
    if (!this.#isReplaying) return update;
    // A chunk in the same message is something that was sent with it.
    this.#isBeyond = this.#isConsumed && !isSame;
    return this.#isBeyond ? update : undefined;
  }

  #agentChunk(role: 'agent' | 'thought', update: JsonObject, isLive: boolean): JsonObject | undefined {
    const text = bare(textOf(update));
    if (text === '') return this.#isReplaying ? undefined : update;
    if (this.#at < 0) {
      const isStart = this.#isReplaying || !isLive;
      const minChars = this.#isReplaying ? 1 : MIN_START_CHARS;
      const start = isStart
        ? this.#segments.findLastIndex(
            (segment) => segment[role] === text || (segment[role].startsWith(text) && text.length >= minChars),
          )
        : -1;
      if (start < 0) return this.#isReplaying ? undefined : update;
      this.#enter(start);
    }
    if (this.#consume(role, text)) return undefined;
    const same = this.#segments.findIndex(
      (segment, at) =>
        at > this.#at && segment.user.some((known) => known.startsWith(this.#user)) && segment[role].startsWith(text),
    );
    if (this.#user !== '' && same >= 0) {
      this.#enter(same);
      this.#consume(role, text);
      return undefined;
    }
    return this.#continuation(role, update, text) ?? (isLive ? update : undefined);
  }

  /** Agents leave out parts of what they said. */
  #consume(role: 'agent' | 'thought', text: string): boolean {
    const found = (this.#segment?.[role] ?? '').indexOf(text, this.#offsets[role]);
    if (found < 0) return false;
    this.#offsets[role] = found + text.length;
    return true;
  }

  /** The transcript ends in the middle of what the agent said, or before it. */
  #continuation(role: 'agent' | 'thought', update: JsonObject, text: string): JsonObject | undefined {
    if (this.#at < this.#segments.length - 1) return undefined;
    const rest = (this.#segment?.[role] ?? '').slice(this.#offsets[role]);
    if (!text.startsWith(rest) || (role === 'thought' && !this.#isConsumed)) return undefined;
    this.#isBeyond = true;
    const content = { ...asObject(update['content']), text: afterBare(textOf(update), rest.length) };
    return rest === '' ? update : { ...update, content };
  }

  #toolCall(update: JsonObject, isLive: boolean): JsonObject | undefined {
    const id = toToolCallId(update);
    if (!this.#isReplaying) {
      const known = update['sessionUpdate'] === 'tool_call' && !isLive ? this.#known(update, id) : undefined;
      if (!known) return update;
      this.#enter(this.#segments.findIndex(({ tools }) => tools.includes(known)));
    }
    if (!this.#tools.has(id)) this.#tools.set(id, this.#known(update, id) ?? this.#newCall());
    const known = this.#tools.get(id);
    if (known === 'new' || known === undefined) return known && update;
    return wasCutOff(known) ? asOutcome(update, known) : undefined;
  }

  /** An unknown call at the end happened after the transcript ended. */
  #newCall(): 'new' | undefined {
    const isLast = this.#at === this.#segments.length - 1;
    return isLast && (this.#isConsumed || !this.#hasEnded) ? 'new' : undefined;
  }

  #known(update: JsonObject, id: string): ToolEntry | undefined {
    const used = new Set(this.#tools.values());
    const tools = this.#segment?.tools ?? this.#segments.flatMap((segment) => segment.tools);
    const free = tools.filter((tool) => !used.has(tool));
    const { title, rawInput } = update;
    return (
      free.find(({ toolCallId }) => id !== '' && toolCallId === id) ??
      free.find((tool) => title !== undefined && tool.title === title) ??
      free.find((tool) => rawInput !== undefined && canonicalJson(tool.rawInput) === canonicalJson(rawInput))
    );
  }
}

/** The user or the end of the agent's process closed the call: it has no result. */
function wasCutOff({ status, content, rawOutput }: ToolEntry): boolean {
  return status === 'canceled' || (status === 'failed' && content.length === 0 && rawOutput === undefined);
}

/** How a call ended that the transcript left open. */
function asOutcome(update: JsonObject, { toolCallId }: ToolEntry): JsonObject | undefined {
  const { status, content, rawOutput } = update;
  if (status !== 'completed') return undefined;
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status,
    ...(content !== undefined && { content }),
    ...(rawOutput !== undefined && { rawOutput }),
  };
}

function segmentsOf({ entries, turn }: SessionState): readonly Segment[] {
  const segments: Segment[] = [];
  // A message that waits for the agent is not part of its history.
  const isUnsent = turn.status === 'running' && entries.count === turn.firstEntry + 1;
  for (const [index, entry] of entriesFrom(entries)) {
    if (isUnsent && index >= turn.firstEntry) break;
    if (entry.kind === 'user') {
      const user = [entry.text, ...(entry.expansion ? [entry.expansion.text] : [])].map(bare);
      segments.push({ user, agent: '', thought: '', tools: [] });
    }
    const segment = segments.at(-1);
    if (!segment) continue;
    if (entry.kind === 'agent' || entry.kind === 'thought') segment[entry.kind] += bare(entry.text);
    else if (entry.kind === 'tool') segment.tools.push(entry);
  }
  return segments;
}

/** Agents add context to a message, in front of it in tags. */
function isMore(text: string, known: string): boolean {
  if (known === '') return false;
  const isBehind = text.endsWith(known) && (known.length >= MIN_START_CHARS || text.at(-known.length - 1) === '>');
  return isBehind || text.startsWith(known);
}

function textOf(update: JsonObject): string {
  return asString(asObject(update['content'])?.['text']) ?? '';
}

function bare(text: string): string {
  return text.replace(/\s+/g, '');
}

/** `text` after so many characters that are no white space. */
function afterBare(text: string, count: number): string {
  let left = count;
  const end = Array.from({ length: text.length }, (_, at) => at).find((at) => {
    if (left === 0) return true;
    if (!/\s/.test(text.charAt(at))) left--;
    return false;
  });
  return end === undefined ? '' : text.slice(end);
}
