import { createHash } from 'node:crypto';
import { AgentCard, AGENT_CARD_PATH, canonicalizeAgentCard } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { SerialQueue } from '../../base/async';
import { errorMessage, ParleyError } from '../../base/errors';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Memento } from '../../base/memento';
import { truncate } from '../../base/text';
import { escapeInvisible, escapeInvisibleInline } from '../../base/untrustedText';
import type { Resolve } from '../../node/http/restrictedRequest';
import type { SessionTools } from '../../session/sessionTools';
import type { JsonToolServer } from '../../session/toolServer';
import { RestrictedFetch } from '../net/restrictedFetch';
import { agentTool, MAX_SKILL_DESCRIPTION } from './a2aAgentTool';
import type { ConfiguredAddresses, AddressEntry } from './configuredAddresses';

/** Maximum number of skills of one agent that become tools. */
const MAX_SKILLS = 64;
/** Maximum milliseconds for loading a card. */
const CARD_TIMEOUT_MS = 15_000;
const PINS = 'parley.a2aCards';

/**
 * The first card of a URL is pinned by its hash; a different card needs the user's approval (docs/security.md, row
 * 4).
 */
export class PinnedCards {
  /** @param confirm asks about a card that differs from the pinned one; true: use the new card */
  constructor(
    private readonly memory: Memento,
    private readonly confirm: (name: string, url: string) => Promise<boolean>,
  ) {}

  /** Whether the card may be used. */
  async accept({ name, address }: AddressEntry, card: AgentCard): Promise<boolean> {
    const hash = createHash('sha256').update(canonicalizeAgentCard(card)).digest('hex');
    const pinned = this.#pins()[address.url];
    if (pinned === hash) return true;
    if (pinned !== undefined && !(await this.confirm(name, address.url))) return false;
    await this.memory.update(PINS, { ...this.#pins(), [address.url]: hash });
    return true;
  }

  #pins(): Readonly<Record<string, unknown>> {
    const stored = this.memory.get(PINS);
    return isObject(stored) ? stored : {};
  }
}

/** An agent that cannot be offered. */
export interface FailedAgent {
  readonly name: string;
  /** For the user. */
  readonly reason: string;
}

/** The A2A agents of the settings as tool servers, with one tool per skill. */
export class AgentServers implements Disposable {
  readonly #queue = new SerialQueue();
  /** By the content of the entry. */
  readonly #servers = new Map<string, Disposable>();
  readonly #onDidFail = new Emitter<FailedAgent>();
  #isDisposed = false;

  readonly onDidFail: Event<FailedAgent> = this.#onDidFail.event;

  /** @param resolve replaced in tests */
  constructor(
    private readonly addresses: ConfiguredAddresses,
    private readonly tools: SessionTools,
    private readonly cards: PinnedCards,
    private readonly log: Logger,
    private readonly resolve?: Resolve,
  ) {}

  /** Called at first, after a change of settings, and to retry failed agents. Never rejects. */
  refresh(): Promise<void> {
    return this.#queue.run(() => this.#refresh());
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const server of this.#servers.values()) server.dispose();
    this.#servers.clear();
    this.#onDidFail.dispose();
  }

  async #refresh(): Promise<void> {
    if (this.#isDisposed) return;
    await this.addresses
      .decide()
      .catch((error: unknown) => this.log.warn('a2a', `Failed to read the A2A agents: ${errorMessage(error)}`));
    const entries = new Map(this.addresses.available().map((listed) => [addressKey(listed), listed]));
    for (const [key, server] of this.#servers) {
      if (entries.has(key)) continue;
      server.dispose();
      this.#servers.delete(key);
    }
    await Promise.all(Array.from(entries, ([key, listed]) => this.#addServer(key, listed)));
  }

  async #addServer(key: string, listed: AddressEntry): Promise<void> {
    if (this.#servers.has(key)) return;
    try {
      const server = await this.#server(listed);
      if (server && !this.#isDisposed) this.#servers.set(key, this.tools.add(server));
    } catch (error) {
      this.log.warn('a2a', `Failed to offer the A2A agent “${listed.name}”: ${errorMessage(error)}`);
      this.#onDidFail.fire({ name: listed.name, reason: errorMessage(error) });
    }
  }

  /** Undefined when its card changed and the user rejected the new one. */
  async #server(listed: AddressEntry): Promise<JsonToolServer | undefined> {
    const { name, address } = listed;
    const card = await this.#card(listed);
    if (!(await this.cards.accept(listed, card))) return undefined;
    const openClient = (): Promise<Client> => this.#client(listed, card);
    const names = new Set<string>();
    const tools = card.skills.slice(0, MAX_SKILLS).map((skill) => {
      const toolName = uniqueName(skill.id.replaceAll(/[^\w.-]+/g, '_').slice(0, 48) || 'skill', names);
      return agentTool(openClient, toolName, skill);
    });
    if (tools.length === 0) throw new ParleyError('badInput', t('its agent card lists no skills'));
    return {
      name: `a2a-${slug(name)}`,
      title: escapeInvisibleInline(name),
      description: `${truncate(escapeInvisible(card.description), MAX_SKILL_DESCRIPTION)} (A2A agent at ${new URL(address.url).host})`,
      tools,
    };
  }

  /** The agent's card without interfaces of other origins: the headers of the settings are for this origin only. */
  async #card(listed: AddressEntry): Promise<AgentCard> {
    const url = new URL(listed.address.url);
    const fetchImpl = await this.#fetchFor(listed, AbortSignal.timeout(CARD_TIMEOUT_MS));
    const resolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat: { enabled: true } });
    const isCard = url.pathname.endsWith('.json');
    const base = isCard || url.pathname.endsWith('/') ? url.href : `${url.href}/`;
    const found: unknown = await resolver.resolve(base, isCard ? url.pathname : AGENT_CARD_PATH);
    // The SDK returns some cards unparsed; this fills in omitted fields.
    const card = AgentCard.fromJSON(found);
    const near = card.supportedInterfaces.filter(
      (one) => URL.canParse(one.url) && new URL(one.url).origin === url.origin,
    );
    if (near.length > 0) return { ...card, supportedInterfaces: near };
    const urls = card.supportedInterfaces.map(({ url }) => url).join(', ');
    throw new ParleyError(
      'badInput',
      urls
        ? t('its agent card points to {0}; set "url" to that origin instead', urls)
        : t('its agent card contains no URL'),
    );
  }

  async #client(listed: AddressEntry, card: AgentCard): Promise<Client> {
    const options = { fetchImpl: await this.#fetchFor(listed), legacyCompat: { enabled: true } };
    const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)];
    return new ClientFactory({ transports }).createFromAgentCard(card);
  }

  /** `fetch` restricted to the origin of the entry, with its headers. */
  async #fetchFor(listed: AddressEntry, deadline?: AbortSignal): Promise<typeof fetch> {
    const { origin } = new URL(listed.address.url);
    const restricted = new RestrictedFetch(origin, this.resolve);
    const own = Object.entries(await listed.headers());
    return (input, init) => {
      const headers = new Headers(init?.headers);
      for (const [name, value] of own) headers.set(name, value);
      return restricted.fetch(input, { ...init, headers, ...(deadline && { signal: deadline }) });
    };
  }
}

function addressKey({ name, content }: AddressEntry): string {
  return JSON.stringify([name, content]);
}

/** The part of a server's name after `a2a-`; without `_`, at which agents split prefixed names. */
function slug(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 24);
  return plain === '' ? 'agent' : plain;
}

function uniqueName(base: string, taken: Set<string>): string {
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}-${number}`;
  taken.add(name);
  return name;
}
