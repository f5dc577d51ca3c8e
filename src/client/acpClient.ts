import * as vscode from 'vscode';
import { terminalAuthFeature } from '../agent/connection/authMethods';
import { AgentConnection } from '../agent/connection/agentConnection';
import type { AgentDefinition } from '../agent/config/agentDefinition';
import type { ConnectionOptions } from '../agent/connection/agentLaunch';
import type { ClientFeature, RequestContext, RequestHandler } from '../agent/clientFeature';
import type { JsonObject } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { AgentServices, Connect, ConnectionContribution } from '../session/agents/sharedAgent';
import type { FileAccess, SessionLookup, SessionHandle } from '../session/sessionHandle';
import { sessionUpdateCapabilitiesFeature } from '../session/agents/sessionUpdateCapabilities';
import { FileSystemFeature } from './fs/fileSystemFeature';
import type { EditReview } from './fs/writeTextFile';
import { permissionFeature } from './permissionFeature';
import { NodePtyLoader } from './terminal/nodePty';
import { TerminalFeature } from './terminal/terminalFeature';
import { TerminalMirrors } from './terminal/terminalMirrors';
import { asNumber, asObject, asString, omitUndefined, requireObject, requireString } from '../base/json';
import { toUsageLimit } from '../session/translate/translateLimits';
import type { UsageLimit } from '../shared/state/usageState';
import { invalidParams } from '../base/jsonRpc';
import type { ElicitationReply, ElicitationQuestion } from '../shared/state/elicitationState';
import { requireSession } from '../session/sessionHandle';
import { parseElicitationForm } from '../session/userRequests/elicitationForm';

type SharedOptions = Pick<ConnectionOptions, 'allow' | 'clientInfo' | 'log' | 'secrets' | 'traffic'> &
  Required<Pick<ConnectionOptions, 'startFolders'>>;

export interface ClientOptions extends SharedOptions {
  /** Absolute; where agents without a folder start. */
  readonly cwd: () => string;
  /** `parley.terminal.outputLimit`, bytes. */
  readonly outputLimit: () => number;
  /** Called for every file that an agent has read or written through the editor. */
  readonly onDidAccessFile: (access: FileAccess) => void;
  readonly review: EditReview;
  /** Creates the features that another room adds to a connection. `connection` is available once it exists. */
  readonly createContribution: (
    definition: AgentDefinition,
    connection: () => AgentConnection,
  ) => ConnectionContribution;
  /** Called for every new connection. The result is disposed with the connection. */
  readonly registerConnection: (definition: AgentDefinition, connection: AgentConnection) => Disposable;
}

/** Creates connections to agents with all client features. */
export class AcpClient implements Disposable {
  readonly #terminals = new Set<TerminalFeature>();
  readonly #pty: NodePtyLoader;
  /** Shows output of a session's command in a terminal of the panel. */
  readonly mirrors = new TerminalMirrors((terminalId) => {
    for (const terminals of this.#terminals) {
      const tty = terminals.tty(terminalId);
      if (tty) return tty;
    }
    return undefined;
  });

  constructor(private readonly options: ClientOptions) {
    this.#pty = new NodePtyLoader(vscode.env.appRoot, options.log);
  }

  stopCommand(terminalId: string): void {
    for (const terminals of this.#terminals) terminals.stop(terminalId);
  }

  dispose(): void {
    this.mirrors.dispose();
  }

  /** A connection that is not started yet, and its disposable. */
  connect(
    definition: AgentDefinition,
    lookup: SessionLookup,
    onUpdate: (sessionId: string, update: JsonObject) => void,
  ): ReturnType<Connect> {
    const services = new DisposableStore();
    const features = displayFeatures(lookup);
    const effects = definition.origin === 'replay' ? undefined : this.#effects(definition, lookup, () => connection);
    if (effects) {
      services.add(effects);
      features.push(...effects.features);
    }
    const { cwd, registerConnection } = this.options;
    const connection = new AgentConnection({ ...this.options, definition, cwd: cwd(), features, onUpdate });
    services.add(registerConnection(definition, connection));
    return { connection, services: { ...effects?.services, dispose: () => services.dispose() } };
  }

  /** What an agent may do in the editor: files, terminals, sign-in, tool servers. */
  #effects(
    definition: AgentDefinition,
    lookup: SessionLookup,
    connection: () => AgentConnection,
  ): Disposable & { readonly features: readonly ClientFeature[]; readonly services: Omit<AgentServices, 'dispose'> } {
    const { log, outputLimit, createContribution, onDidAccessFile, review } = this.options;
    const store = new DisposableStore();
    const missingFileIsEmpty = (): boolean => connection().quirk?.missingFileIsEmpty === true;
    const files = store.add(new FileSystemFeature({ lookup, log, missingFileIsEmpty, onDidAccessFile, review }));
    const terminals = store.add(new TerminalFeature({ lookup, log, outputLimit, pty: this.#pty }));
    this.#terminals.add(terminals);
    store.defer(() => this.#terminals.delete(terminals));
    const contribution = createContribution(definition, connection);
    store.add(contribution.services);
    const onDidCloseSession = (agentSessionId: string): void => {
      files.closeSession(agentSessionId);
      void terminals.releaseAll(agentSessionId);
    };
    return {
      features: [files, terminals, terminalAuthFeature(), accountLimitsFeature(lookup), ...contribution.features],
      services: { ...contribution.services, onDidCloseSession },
      dispose: () => store.dispose(),
    };
  }
}

/** Features that show something to the user and return the answer. */
function displayFeatures(lookup: SessionLookup): ClientFeature[] {
  return [permissionFeature(lookup), elicitationFeature(lookup), sessionUpdateCapabilitiesFeature()];
}

/**
 * The limits of the account that an agent reports outside of sessions. The shape is that of codex-acp's pull request 524,
 * which no release contains yet (November 2026).
 */
export function accountLimitsFeature(
  lookup: Pick<SessionLookup, 'reportLimits'>,
  now: () => number = Date.now,
): ClientFeature {
  const handle = (params: unknown): void => {
    const limits = parseAccountLimits(params, now());
    if (limits.length > 0) lookup.reportLimits?.(limits);
  };
  return { capabilities: {}, handlers: [], notifications: [{ method: '_account/rate_limits_update', handle }] };
}

export function parseAccountLimits(params: unknown, now: number): UsageLimit[] {
  const fields = asObject(params);
  const id = asString(fields?.['limitId']) ?? 'account';
  return ['primary', 'secondary'].flatMap((name) => {
    const window = asObject(fields?.[name]);
    const percent = asNumber(window?.['usedPercent']);
    if (!window || percent === undefined) return [];
    const { windowDurationMins: minutes, resetsAt } = window;
    return [toUsageLimit({ id: `${id} ${name}`, minutes, share: percent / 100, resetsAt }, percent >= 100, now)];
  });
}

/** Shows `elicitation/*` requests as a form or a URL. */
export function elicitationFeature(lookup: SessionLookup): ClientFeature {
  /** Completion callbacks by the agent's own ids. */
  const opened = new Map<string, () => void>();
  return {
    capabilities: { elicitation: { form: {}, url: {} } },
    handlers: [
      {
        method: 'elicitation/create',
        parse: parseElicitation,
        handle: (params, context) => elicit(lookup, params, context, opened),
      } satisfies RequestHandler<ElicitationParams>,
    ],
    notifications: [
      {
        method: 'elicitation/complete',
        handle: (params) => {
          const id = asString(asObject(params)?.['elicitationId']) ?? '';
          // Unknown and finished ids are ignored (ACP: elicitation).
          opened.get(id)?.();
          opened.delete(id);
        },
      },
    ],
  };
}

async function elicit(
  lookup: SessionLookup,
  params: ElicitationParams,
  { signal }: RequestContext,
  opened: Map<string, () => void>,
): Promise<ElicitationReply> {
  const { message, question, elicitationId } = params;
  // Asked before the first await, so that the question takes its place in wire order (I3).
  const request = sessionOf(lookup, params).userRequests.elicit({ message, question, signal });
  if (elicitationId !== undefined && question.mode === 'url') opened.set(elicitationId, () => request.complete());
  const answer = await request.answer;
  if (answer.action !== 'accept' && elicitationId !== undefined) opened.delete(elicitationId);
  return answer;
}

function sessionOf(lookup: SessionLookup, { sessionId }: ElicitationParams): SessionHandle {
  if (sessionId !== undefined) return requireSession(lookup, sessionId);
  const session = lookup.activeSession?.();
  if (!session) throw invalidParams('Nobody waits for this request any more');
  return session;
}

/** For a session, or for one of Parley's requests outside any session. */
interface ElicitationParams {
  readonly message: string;
  readonly question: ElicitationQuestion;
  readonly sessionId?: string;
  readonly requestId?: string | number;
  /** The agent's id for completing a URL elicitation. */
  readonly elicitationId?: string;
}

/** @throws RpcError -32602 that names what is missing, or the unsupported mode or type */
export function parseElicitation(value: unknown): ElicitationParams {
  const params = requireObject(value);
  const message = requireString(params, 'message');
  const sessionId = asString(params['sessionId']);
  const requestId = asString(params['requestId']) ?? asNumber(params['requestId']);
  if (sessionId === undefined && requestId === undefined) {
    throw invalidParams('"sessionId" or "requestId" must say what the question is about');
  }
  const elicitationId = asString(params['elicitationId']);
  return { message, question: parseElicitationForm(params), ...omitUndefined({ sessionId, requestId, elicitationId }) };
}
