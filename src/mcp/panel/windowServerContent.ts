import { ParleyError } from '../../base/errors';
import type { Event } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { asArray, asObject, asString } from '../../base/json';
import { t } from '../../base/l10n';
import type { PromptArgument } from '../../session/promptFiles/promptFile';
import type { ServerContent, ServerPrompt, ServerResource } from '../../session/serverContent';
import type { SessionHandle } from '../../session/sessionHandle';
import type { Block } from '../../shared/state/contentBlocks';
import { serverUnavailable } from '../availability/toolFilter';
import type { ToolFilterSettings } from '../availability/toolFilterSettings';
import type { CallGate } from '../calls/callGate';
import type { RegisteredServer, ToolServers } from '../contract/toolServerRegistry';
import { inSession } from '../contract/toolServerRegistry';
import type { ToolPrompt, ToolResourceTemplate, ToolServer } from '../contract/toolServerTypes';
import type { LazyUserServers } from '../contract/userServers';

/** Prompts and resources of the servers that are no part of Parley: what those of Parley have, the message box offers itself. */
export class WindowServerContent implements ServerContent {
  readonly onDidChange: Event<void>;

  constructor(
    private readonly servers: ToolServers,
    private readonly gate: CallGate,
    private readonly rules: ToolFilterSettings,
    private readonly userServers: LazyUserServers,
  ) {
    this.onDidChange = gate.onDidChange;
  }

  async list(session: SessionHandle): Promise<void> {
    await (await this.userServers.load())?.list(session);
  }

  prompts(session: SessionHandle): readonly ServerPrompt[] {
    return this.#enabled(session).flatMap((registered) =>
      promptsOf(registered.server).map((prompt) => this.#prompt(session, registered, prompt)),
    );
  }

  resources(session: SessionHandle): readonly ServerResource[] {
    return this.#enabled(session).flatMap((registered) => {
      const { resources = [], templates = [] } = registered.server.preview ?? registered.server;
      const server = registered.name;
      const plain: ServerResource[] = resources.map(({ uri, title }) => ({
        server,
        uri,
        title,
        arguments: [],
        complete: async () => [],
      }));
      const asked = templates.map((template) => this.#template(session, registered, template));
      return plain.concat(asked);
    });
  }

  async read(session: SessionHandle, server: string, uri: string): Promise<readonly Block[]> {
    const registered = await this.#connected(session, server);
    const { resources = [], templates = [] } = registered.server;
    const resource = resources.find((one) => one.uri === uri);
    const { toResourceBlocks, matchesTemplate } = await import('./contentToBlocks');
    const template = templates.find(({ pattern }) => matchesTemplate(pattern, uri));
    if (!resource && !template) throw missing(server, uri);
    const given = await this.#access(session, registered, `resource:${uri}`, { uri }, async () => ({
      contents: (await resource?.read(session)) ?? (await template?.read(uri)),
    }));
    return toResourceBlocks(given.contents, uri);
  }

  #prompt(
    session: SessionHandle,
    { name: server }: RegisteredServer,
    { name, description, ...prompt }: ToolPrompt,
  ): ServerPrompt {
    const subject = `prompt:${name}`;
    return {
      command: `${server}:${name}`.replaceAll(/\s+/g, '-'),
      server,
      description: description || (prompt.title ?? ''),
      arguments: prompt.arguments.map(toArgument),
      complete: (argument, value, values) =>
        this.#complete(session, server, subject, { type: 'ref/prompt', name }, argument, value, values),
      get: async (values) => {
        const registered = await this.#connected(session, server);
        // As it is now: a changed prompt waits for the user's review.
        const current = registered.server.prompts?.().find((one) => one.name === name);
        if (!current) throw missing(server, name);
        const given = await this.#access(session, registered, subject, { arguments: values }, async () => {
          const result = await current.render(values);
          return typeof result === 'string' ? { messages: [{ content: { type: 'text', text: result } }] } : result;
        });
        return (await import('./contentToBlocks')).toPromptContent(given);
      },
    };
  }

  #template(
    session: SessionHandle,
    { name: server }: RegisteredServer,
    { pattern, title }: ToolResourceTemplate,
  ): ServerResource {
    const variables = [...pattern.matchAll(/\{[+#./;?&]?([\w.,*%:]+)\}/g)].flatMap(([, names = '']) =>
      names.split(','),
    );
    const ref = { type: 'ref/resource', uri: pattern };
    return {
      server,
      uri: pattern,
      title,
      arguments: variables.map((name) => ({ name: name.replace(/(?:\*|:\d+)$/, ''), required: true })),
      complete: (argument, value, values) =>
        this.#complete(session, server, `resource:${pattern}`, ref, argument, value, values),
    };
  }

  async #complete(
    session: SessionHandle,
    server: string,
    subject: string,
    ref: JsonObject,
    argument: string,
    value: string,
    values: Readonly<Record<string, string>>,
  ): Promise<readonly string[]> {
    const registered = await this.#connected(session, server);
    const { server: tools } = registered;
    if (!tools.complete) return [];
    const params = { ref, argument: { name: argument, value }, context: { arguments: values } };
    const result = await this.#access(
      session,
      registered,
      subject,
      params,
      async () => (await tools.complete?.(params)) ?? {},
    );
    return asArray(asObject(result['completion'])?.['values']).flatMap((one) => asString(one) ?? []);
  }

  #access<T extends JsonObject>(
    session: SessionHandle,
    registered: RegisteredServer,
    subject: string,
    input: JsonObject,
    run: () => Promise<T>,
  ): Promise<T> {
    const { signal } = new AbortController();
    return this.gate.access({ session, registered, subject, input, signal, isOfUser: true }, run);
  }

  #enabled(session: SessionHandle): readonly RegisteredServer[] {
    const rules = this.rules.rulesOf(session);
    return this.servers
      .list()
      .filter(({ name, origin }) => origin !== 'builtIn' && !serverUnavailable(name, rules))
      .map((registered) => inSession(registered, session));
  }

  /** @throws ParleyError when the server is disabled or cannot be reached */
  async #connected(session: SessionHandle, name: string): Promise<RegisteredServer> {
    const registered = this.#enabled(session).find((one) => one.name === name);
    if (!registered) throw new ParleyError('notFound', t('The MCP server “{0}” is not enabled in this session.', name));
    await registered.server.connect?.();
    return registered;
  }
}

function promptsOf(server: ToolServer): readonly ToolPrompt[] {
  return server.preview?.prompts ?? server.prompts?.() ?? [];
}

function missing(server: string, what: string): ParleyError {
  const nextStep = t('Refresh the tools. If the definition has changed, review it in the Tools panel.');
  return new ParleyError('notFound', t('The MCP server “{0}” does not offer {1}.', server, what), { nextStep });
}

function toArgument({ name, description, required }: ToolPrompt['arguments'][number]): PromptArgument {
  return { name, required: required === true, ...(description !== undefined && { description }) };
}
