import type { AddressEntry } from '../../src/a2a/agents/configuredAddresses';
import type { GatewayAddress } from '../../src/a2a/gateway/a2aGateway';
import { Gateway } from '../../src/a2a/gateway/a2aGateway';
import { nullLogger } from '../../src/base/logger';
import { ExternalCalls } from '../../src/mcp/externalCalls';
import type { Resolve } from '../../src/node/http/restrictedRequest';
import { systemResolve } from '../../src/node/http/restrictedRequest';
import type { AuditEntry } from '../../src/permissions/auditLog';
import type { AuthorizationResult, AuthorizationRequest, SessionHandle } from '../../src/session/sessionHandle';
import type { Sample } from '../unit/mcp/sample';
import { createBench, fakeSession } from '../unit/mcp/sample';

/** An entry of the setting `parley.a2a.targets`. */
interface ListedTarget {
  readonly alias: string;
  readonly url: string;
  readonly path?: string;
  readonly headers: AddressEntry['headers'];
}

/** A gateway around the sample tool server of one session. Records its approval requests and its audit records. */
export interface GatewayBench {
  readonly gateway: Gateway;
  readonly address: GatewayAddress;
  readonly sample: Sample;
  readonly audit: AuditEntry[];
  readonly questions: AuthorizationRequest[];
  readonly listed: ListedTarget[];
  readonly outside: ExternalCalls;
  /** The user's decision. */
  answer: AuthorizationResult;
  resolve: Resolve;
  stop(): Promise<void>;
}

export async function startGateway(): Promise<GatewayBench> {
  const { servers, gate, sample, hostedServers } = createBench();
  const audit: AuditEntry[] = [];
  const questions: AuthorizationRequest[] = [];
  const listed: ListedTarget[] = [];
  const session: SessionHandle = {
    ...fakeSession('session-1'),
    userRequests: {
      ...fakeSession('session-1').userRequests,
      authorize: async (question) => {
        questions.push(question);
        return bench.answer;
      },
    },
  };
  const outside = new ExternalCalls({ servers, gate, log: nullLogger, version: '1.0.0', caller: 'A2A client' });
  const gateway = new Gateway({
    log: nullLogger,
    redactor: { add: () => undefined },
    audit: { append: (entry) => void audit.push(entry) },
    sessionTools: outside,
    version: '1.0.0',
    sessions: { active: session, allOpen: () => [session] },
    addresses: { available: () => listed.map(toEntry) },
    resolve: (host, found) => bench.resolve(host, found),
  });
  const address = await gateway.start();
  const stop = async (): Promise<void> => {
    await gateway.stop();
    outside.dispose();
    await hostedServers.dispose();
  };
  const bench: GatewayBench = {
    gateway,
    address,
    sample,
    audit,
    questions,
    listed,
    outside,
    stop,
    answer: { allowed: true, reason: 'you allowed it', by: 'person' },
    resolve: systemResolve,
  };
  return bench;
}

function toEntry({ alias: name, url, path, headers }: ListedTarget): AddressEntry {
  return { name, address: { url, headers: {}, ...(path !== undefined && { path }) }, content: '', headers };
}
