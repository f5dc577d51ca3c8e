import { isAbsolute } from 'node:path';
import type {
  AgentApp,
  AgentContext,
  InitializeResponse,
  NewSessionRequest,
  NewSessionResponse,
  PromptRequest,
  PromptResponse,
  SessionUpdate,
  SetSessionConfigOptionRequest,
  SetSessionConfigOptionResponse,
  SetSessionModeRequest,
  SetSessionModeResponse,
} from '@agentclientprotocol/sdk/unstable';
import { PROTOCOL_VERSION, RequestError, agent, methods } from '@agentclientprotocol/sdk/unstable';
import { isCancellation } from '../base/errors';
import type { SupportedCapabilities } from './clientCapabilities';
import { readClientCapabilities, noClientCapabilities } from './clientCapabilities';
import { editorServers } from './demoMcpServers';
import { COMMANDS } from './demoOptions';
import { DemoSessions } from './demoSessions';
import { DemoTurn } from './demoTurn';
import { Pacing } from './pacing';
import { playPrompt } from './playPrompt';

/** The version of the script, not of the extension. */
const DEMO_VERSION = '1.0.0';

export function createDemoAgent(pace: Pacing): AgentApp {
  const demo = new DemoAgent(pace);
  return (
    agent({ name: 'parley-demo' })
      .onRequest(methods.agent.initialize, ({ params }) =>
        demo.initialize(readClientCapabilities(params.clientCapabilities)),
      )
      .onRequest(methods.agent.session.new, ({ params, client }) => demo.newSession(params, client))
      .onRequest(methods.agent.session.setMode, ({ params, client }) => demo.setMode(params, client))
      .onRequest(methods.agent.session.setConfigOption, ({ params, client }) => demo.setOption(params, client))
      .onRequest(methods.agent.session.prompt, ({ params, client, signal }) => demo.prompt(params, client, signal))
      // Registered after the prompt handler: the SDK awaits once per handler, so that an earlier one could overtake it.
      .onNotification(methods.agent.session.cancel, ({ params }) => demo.cancel(params.sessionId))
  );
}

class DemoAgent {
  readonly #sessions = new DemoSessions();
  #capabilities: SupportedCapabilities = noClientCapabilities;

  constructor(private readonly pace: Pacing) {}

  initialize(capabilities: SupportedCapabilities): InitializeResponse {
    this.#capabilities = capabilities;
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'parley-demo', title: 'Demo agent', version: DEMO_VERSION },
      agentCapabilities: {
        loadSession: false,
        mcpCapabilities: { http: true, sse: false },
        // Attached text comes in resources then: only what the user types selects a scene.
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
      },
      authMethods: [],
    };
  }

  newSession(params: NewSessionRequest, client: AgentContext): NewSessionResponse {
    if (!isAbsolute(params.cwd)) {
      throw RequestError.invalidParams({ cwd: params.cwd }, `"cwd" must be an absolute path, not "${params.cwd}"`);
    }
    const { id, options } = this.#sessions.create(params.cwd, editorServers(params.mcpServers));
    sendUpdate(client, id, { sessionUpdate: 'available_commands_update', availableCommands: [...COMMANDS] });
    return { sessionId: id, modes: options.modes, configOptions: options.list };
  }

  setMode({ sessionId, modeId }: SetSessionModeRequest, client: AgentContext): SetSessionModeResponse {
    const { options } = this.#sessions.require(sessionId);
    options.setMode(modeId);
    sendUpdate(client, sessionId, { sessionUpdate: 'config_option_update', configOptions: options.list });
    return {};
  }

  setOption(params: SetSessionConfigOptionRequest, client: AgentContext): SetSessionConfigOptionResponse {
    const { sessionId } = params;
    const { options } = this.#sessions.require(sessionId);
    const before = options.mode;
    options.set(params);
    if (options.mode !== before) {
      sendUpdate(client, sessionId, { sessionUpdate: 'current_mode_update', currentModeId: options.mode });
    }
    return { configOptions: options.list };
  }

  async prompt(params: PromptRequest, client: AgentContext, request: AbortSignal): Promise<PromptResponse> {
    const session = this.#sessions.require(params.sessionId);
    if (session.running) {
      throw RequestError.invalidRequest(undefined, 'A turn of this session is still running; cancel it first');
    }
    const stop = new AbortController();
    session.running = stop;
    // `request` aborts on $/cancel_request and when the connection closes.
    const signal = AbortSignal.any([stop.signal, request]);
    try {
      const pace = session.options.speed === 'fast' ? new Pacing(0) : this.pace;
      const turn = new DemoTurn({ session, client, signal, capabilities: this.#capabilities, pace });
      const text = promptText(params);
      session.characters += text.length;
      await playPrompt(turn, text);
      await turn.usage();
      return { stopReason: signal.aborted ? 'cancelled' : 'end_turn' };
    } catch (error) {
      // A canceled turn ends with "cancelled", whatever error it threw (ACP prompt-turn, cancellation).
      if (signal.aborted || isCancellation(error)) return { stopReason: 'cancelled' };
      throw error;
    } finally {
      session.running = undefined;
    }
  }

  cancel(sessionId: string): void {
    this.#sessions.find(sessionId)?.running?.abort();
  }
}

/** Sends an update after the answer to the request that caused it. */
function sendUpdate(client: AgentContext, sessionId: string, update: SessionUpdate): void {
  setImmediate(() => {
    // Ignore a connection that was closed meanwhile.
    client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined);
  });
}

function promptText(params: PromptRequest): string {
  return params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
