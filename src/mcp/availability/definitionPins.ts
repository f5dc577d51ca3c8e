import { createHash } from 'node:crypto';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { isObject, canonicalJson } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import type { Memento } from '../../base/memento';
import { truncate } from '../../base/text';
import { escapeInvisible } from '../../base/untrustedText';

/**
 * Pins the definitions of third-party tools, prompts, templates and instructions by hash: a description that changes after the user
 * approved it could steer the agent unnoticed ("rug pull"). A changed tool is held back until the user has reviewed it.
 */

/** The fields of a tool, prompt, resource template or server that a model reads or that decide how it is called. */
export interface PinnedDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  /** Only for prompts. */
  readonly arguments?: unknown;
  readonly mimeType?: string;
  /** Empty instructions: remembered, but never held back. */
  readonly isEmpty?: true;
}

type PinState = 'new' | 'same' | 'changed';

/** A held-back definition, before (empty for a new one) and now, with hidden characters shown. */
export interface ChangedDefinition {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** Hash of the new definition; a decision applies to exactly that. */
  readonly hash: string;
  readonly isRefused: boolean;
}

interface Pin {
  readonly hash: string;
  /** For the comparison; truncated to `MAX_TEXT`. */
  readonly text: string;
  /** Hash of a changed definition that the user refused. */
  readonly refused?: string;
}

/** A tool that was new when the user refused it. */
const NEVER_SEEN: Pin = { hash: '', text: '' };

type Pins = Readonly<Record<string, Pin>>;

/** UTF-16 units of a definition that are stored for the comparison. */
const MAX_TEXT = 8_000;

/** SHA-256 of a definition in lower-case hex, independent of field order. */
export function definitionHash(definition: PinnedDefinition): string {
  return createHash('sha256')
    .update(canonicalJson(readFieldsOf(definition)))
    .digest('hex');
}

/** One line per field, with hidden characters shown. */
export function definitionText(definition: PinnedDefinition): string {
  const fields = Object.entries(readFieldsOf(definition)).filter(([, value]) => value !== undefined);
  return fields
    .map(([field, value]) => `${field}: ${escapeInvisible(typeof value === 'string' ? value : canonicalJson(value))}`)
    .join('\n');
}

/**
 * Accepted definitions of third-party servers. On first contact all definitions are accepted, since the user has just allowed the server;
 * later a new or changed definition is held back until {@link accept}.
 */
export class DefinitionPins implements Disposable {
  readonly #onDidChange = new Emitter<string>();
  readonly #heldBack = new Map<string, ReadonlyMap<string, PinnedDefinition>>();

  /** Fires the key of the server whose held-back definitions changed. */
  readonly onDidChange: Event<string> = this.#onDidChange.event;

  constructor(private readonly memory: Memento) {}

  /**
   * Compares a server's current list with the pins and returns the names of the available tools. A definition that has returned to its
   * pinned form is available again.
   * @param server Key of the server and its launch: another command is another server.
   */
  check(server: string, definitions: readonly PinnedDefinition[]): ReadonlySet<string> {
    const pins = this.#read(server);
    // Damaged pins are no first contact: everything is held back for review.
    const stored = this.memory.get(pinKey(server));
    const hasPins = stored !== undefined && !(isObject(stored) && Object.keys(stored).length === 0);
    const unseen = definitions.filter((definition) => stateOf(definition, pins) !== 'same');
    const heldBack = hasPins ? unseen.filter(({ isEmpty }) => isEmpty !== true) : [];
    const accepted = unseen.filter((one) => !heldBack.includes(one) && stateOf(one, pins) === 'new');
    this.#setHeldBack(server, heldBack);
    if (accepted.length > 0) this.#write(server, { ...pins, ...toPins(accepted) });
    const names = new Set(heldBack.map(({ name }) => name));
    return new Set(definitions.map(({ name }) => name).filter((name) => !names.has(name)));
  }

  heldBack(server: string): readonly ChangedDefinition[] {
    const pins = this.#read(server);
    return [...(this.#heldBack.get(server)?.values() ?? [])].map((definition) => {
      const hash = definitionHash(definition);
      const pin = pins[definition.name];
      const after = definitionText(definition);
      return { name: definition.name, before: pin?.text ?? '', after, hash, isRefused: pin?.refused === hash };
    });
  }

  /**
   * Accepts the changed definition. Returns false without effect if `hash` is no longer the held-back one: the definition may have changed
   * again meanwhile.
   */
  accept(server: string, name: string, hash: string): boolean {
    const heldBack = this.#heldBack.get(server);
    const definition = this.#find(server, name, hash);
    if (!heldBack || !definition) return false;
    const rest = [...heldBack.values()].filter((one) => one !== definition);
    this.#write(server, { ...this.#read(server), ...toPins([definition]) });
    this.#setHeldBack(server, rest);
    return true;
  }

  /** Refuses the changed definition. Returns false without effect if `hash` is no longer the held-back one. */
  refuse(server: string, name: string, hash: string): boolean {
    const pins = this.#read(server);
    if (!this.#find(server, name, hash)) return false;
    this.#write(server, { ...pins, [name]: { ...(pins[name] ?? NEVER_SEEN), refused: hash } });
    this.#onDidChange.fire(server);
    return true;
  }

  /** Stops tracking a server that is no longer used here. Its pins stay, so removing and re-adding an entry does not reset them. */
  stopTracking(server: string): void {
    this.#heldBack.delete(server);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #find(server: string, name: string, hash: string): PinnedDefinition | undefined {
    const definition = this.#heldBack.get(server)?.get(name);
    return definition && definitionHash(definition) === hash ? definition : undefined;
  }

  #setHeldBack(server: string, changed: readonly PinnedDefinition[]): void {
    const before = [...(this.#heldBack.get(server)?.values() ?? [])].map(definitionHash);
    this.#heldBack.set(server, new Map(changed.map((definition) => [definition.name, definition])));
    const after = changed.map(definitionHash);
    if (before.join() !== after.join()) this.#onDidChange.fire(server);
  }

  #read(server: string): Pins {
    const stored = this.memory.get(pinKey(server));
    const entries = isObject(stored) ? Object.entries(stored) : [];
    const pins = entries.filter((entry): entry is [string, Pin] => isPin(entry[1]));
    // Names are untrusted, so `__proto__` must be a key like any other.
    return Object.assign(Object.create(null) as Record<string, Pin>, Object.fromEntries(pins));
  }

  /** Takes effect at once; a failed write is reported by the memento. */
  #write(server: string, pins: Pins): void {
    void this.memory.update(pinKey(server), pins);
  }
}

function stateOf(definition: PinnedDefinition, pins: Pins): PinState {
  const pin = pins[definition.name];
  if (pin === undefined) return 'new';
  return pin.hash === definitionHash(definition) ? 'same' : 'changed';
}

function toPins(definitions: readonly PinnedDefinition[]): Pins {
  return Object.fromEntries(
    definitions.map((definition) => {
      const text = truncate(definitionText(definition), MAX_TEXT);
      return [definition.name, { hash: definitionHash(definition), text }];
    }),
  );
}

/** Drops fields that no model reads (`_meta`, icons). */
function readFieldsOf({ isEmpty: _isEmpty, ...read }: PinnedDefinition): JsonObject {
  return read;
}

function isPin(value: unknown): value is Pin {
  return isObject(value) && typeof value['hash'] === 'string' && typeof value['text'] === 'string';
}

export function pinKey(server: string): string {
  return `parley.toolPins:${createHash('sha256').update(server).digest('hex')}`;
}
