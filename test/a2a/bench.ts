import type { AddressEntry, ConfiguredAddresses } from '../../src/a2a/agents/configuredAddresses';
import type { GatewayAddress } from '../../src/a2a/gateway/a2aGateway';
import { Gateway } from '../../src/a2a/gateway/a2aGateway';
import { CallTargets } from '../../src/a2a/gateway/callTargets';
import { nullLogger } from '../../src/base/logger';
import { Redactor } from '../../src/base/redactor';
import type { LazyBuiltIns } from '../../src/mcp/builtin/lazyBuiltIns';
import { ExternalCalls } from '../../src/mcp/externalCalls';
import type { Resolve } from '../../src/node/http/restrictedRequest';
import { systemResolve } from '../../src/node/http/restrictedRequest';
import type { AuditEntry, AuditLog } from '../../src/permissions/auditLog';
import type { Session } from '../../src/session/session';
import type { AuthorizationResult, AuthorizationRequest, SessionHandle } from '../../src/session/sessionHandle';
import type { Sessions } from '../../src/session/sessions';
import { stubOf } from '../kit/stubOf';
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
  const outside = new ExternalCalls(servers, stubOf<LazyBuiltIns>({}), gate, nullLogger, '1.0.0');
  const targets = new CallTargets(
    stubOf<Sessions>({ active: stubOf<Session>(session), allOpen: () => [stubOf<Session>(session)] }),
    outside,
    stubOf<ConfiguredAddresses>({ available: () => listed.map(toEntry) }),
    '1.0.0',
    (host, found) => bench.resolve(host, found),
  );
  const auditLog = stubOf<AuditLog>({ append: (entry) => void audit.push(entry) });
  const gateway = new Gateway(targets, auditLog, new Redactor(), nullLogger);
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
