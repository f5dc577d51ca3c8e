import { createHash } from 'node:crypto';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import type { Memento } from '../../base/memento';
import { truncate } from '../../base/text';
import { escapeInvisible } from '../../base/untrustedText';
import { canonical } from '../calls/priorApprovals';

/**
 * Definitions of other people's tools, and of what else a model reads of their servers, pinned by hash: a description that changes after
 * the user has seen it steers the agent without anybody knowing ("rug pull"). A changed tool is held back until somebody looked at it.
 */

/** What of a tool, a prompt, a kind of documents or a server the model reads, and what decides how it is called. */
export interface PinnedDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  /** Of a prompt. */
  readonly arguments?: unknown;
  readonly mimeType?: string;
  /** It says nothing: it is remembered that it did, and it is never held back. */
  readonly isEmpty?: true;
}

/** How a definition stands to the one that was seen. */
export type PinState = 'new' | 'same' | 'changed';

/** A tool that is held back: what was seen (nothing of a new one), and what it says instead; hidden characters are shown. */
export interface ChangedDefinition {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** Of what it says instead: a decision is about exactly that. */
  readonly hash: string;
  /** The user has looked at it and wants it kept out. */
  readonly isRefused: boolean;
}

interface Pin {
  readonly hash: string;
  /** For the comparison; shortened where it is long. */
  readonly text: string;
  /** Hash of a changed definition that the user wants kept out. */
  readonly refused?: string;
}

/** Of a tool that was new when the user refused it. */
const NEVER_SEEN: Pin = { hash: '', text: '' };

type Pins = Readonly<Record<string, Pin>>;

/** UTF-16 units of a definition that are kept for the comparison. */
const MAX_TEXT = 8_000;

/** SHA-256 of a definition, in lower-case hex. The order of its fields does not count. */
export function definitionHash(definition: PinnedDefinition): string {
  return createHash('sha256')
    .update(canonical(seen(definition)))
    .digest('hex');
}

/** A definition as a user reads it: one line a field, hidden characters shown. */
export function definitionText(definition: PinnedDefinition): string {
  const fields = Object.entries(seen(definition)).filter(([, value]) => value !== undefined);
  return fields
    .map(([field, value]) => `${field}: ${escapeInvisible(typeof value === 'string' ? value : canonical(value))}`)
    .join('\n');
}

/**
 * The seen definitions of the tools of other people's servers. The first time a server is met its tools are taken as they are: the
 * user has just allowed it. After that a tool that is changed or new is held back until {@link accept}.
 */
export class DefinitionPins implements Disposable {
  readonly #memory: Memento;
  readonly #changed = new Emitter<string>();
  /** What is held back now, by server. */
  readonly #held = new Map<string, ReadonlyMap<string, PinnedDefinition>>();

  /** What is held back of a server is different: its key. */
  readonly onDidChange: Event<string> = this.#changed.event;

  constructor(memory: Memento) {
    this.#memory = memory;
  }

  /**
   * Takes the list that a server gives now, and gives the names of the tools that may be offered. A definition that is as it was seen is
   * offered again, even if it was different in between.
   * @param server names the server and what it is started with: another command is another server
   */
  check(server: string, definitions: readonly PinnedDefinition[]): ReadonlySet<string> {
    const pins = this.#read(server);
    const isMet = Object.keys(pins).length > 0;
    const unseen = definitions.filter((definition) => stateOf(definition, pins) !== 'same');
    const held = isMet ? unseen.filter(({ isEmpty }) => isEmpty !== true) : [];
    const taken = unseen.filter((one) => !held.includes(one) && stateOf(one, pins) === 'new');
    this.#hold(server, held);
    if (taken.length > 0) this.#write(server, { ...pins, ...pinned(taken) });
    const names = new Set(held.map(({ name }) => name));
    return new Set(definitions.map(({ name }) => name).filter((name) => !names.has(name)));
  }

  /** The tools of a server that are held back, with both definitions. */
  held(server: string): readonly ChangedDefinition[] {
    const pins = this.#read(server);
    return [...(this.#held.get(server)?.values() ?? [])].map((definition) => {
      const hash = definitionHash(definition);
      const pin = pins[definition.name];
      const after = definitionText(definition);
      return { name: definition.name, before: pin?.text ?? '', after, hash, isRefused: pin?.refused === hash };
    });
  }

  /**
   * The user has looked at the changed definition of a tool and accepts it. False, and without effect, when that is not what is held
   * back: it may have changed once more under their eyes.
   */
  accept(server: string, name: string, hash: string): boolean {
    const held = this.#held.get(server);
    const definition = this.#find(server, name, hash);
    if (!held || !definition) return false;
    const rest = [...held.values()].filter((one) => one !== definition);
    this.#write(server, { ...this.#read(server), ...pinned([definition]) });
    this.#hold(server, rest);
    return true;
  }

  /** The user has looked at it and wants it kept out. False, and without effect, when that is not what is held back. */
  refuse(server: string, name: string, hash: string): boolean {
    const pins = this.#read(server);
    if (!this.#find(server, name, hash)) return false;
    this.#write(server, { ...pins, [name]: { ...(pins[name] ?? NEVER_SEEN), refused: hash } });
    this.#changed.fire(server);
    return true;
  }

  /** The server is not used here any more. Its pins stay: who takes an entry away and puts it back must not start anew with it. */
  leave(server: string): void {
    this.#held.delete(server);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #find(server: string, name: string, hash: string): PinnedDefinition | undefined {
    const definition = this.#held.get(server)?.get(name);
    return definition && definitionHash(definition) === hash ? definition : undefined;
  }

  #hold(server: string, changed: readonly PinnedDefinition[]): void {
    const before = [...(this.#held.get(server)?.values() ?? [])].map(definitionHash);
    this.#held.set(server, new Map(changed.map((definition) => [definition.name, definition])));
    const after = changed.map(definitionHash);
    if (before.join() !== after.join()) this.#changed.fire(server);
  }

  #read(server: string): Pins {
    const kept = this.#memory.get(pinKey(server));
    const entries = isObject(kept) ? Object.entries(kept) : [];
    const pins = entries.filter((entry): entry is [string, Pin] => isPin(entry[1]));
    // Names come from strangers: `__proto__` is one like any other.
    return Object.assign(Object.create(null) as Record<string, Pin>, Object.fromEntries(pins));
  }

  /** Holds at once; the memory tells of it when it cannot be kept. */
  #write(server: string, pins: Pins): void {
    void this.#memory.update(pinKey(server), pins);
  }
}

function stateOf(definition: PinnedDefinition, pins: Pins): PinState {
  const pin = pins[definition.name];
  if (pin === undefined) return 'new';
  return pin.hash === definitionHash(definition) ? 'same' : 'changed';
}

function pinned(definitions: readonly PinnedDefinition[]): Pins {
  return Object.fromEntries(
    definitions.map((definition) => {
      const text = truncate(definitionText(definition), MAX_TEXT);
      return [definition.name, { hash: definitionHash(definition), text }];
    }),
  );
}

/** Only these fields: what a server adds beside them (`_meta`, icons) is not read by a model. */
function seen({ isEmpty: _isEmpty, ...read }: PinnedDefinition): JsonObject {
  return read;
}

function isPin(value: unknown): value is Pin {
  return isObject(value) && typeof value['hash'] === 'string' && typeof value['text'] === 'string';
}

/** What the pins of a server are kept under. */
export function pinKey(server: string): string {
  return `parley.toolPins:${createHash('sha256').update(server).digest('hex')}`;
}
