import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ClientFeature } from '../../src/agent/clientFeature';
import { nullLogger } from '../../src/base/logger';
import { decideByPolicy } from '../../src/permissions/permissionPolicy';
import { ruleEngine } from '../../src/permissions/ruleEngine';
import { SessionApprovals } from '../../src/permissions/sessionApprovals';
import type { AuthorizationResult, AuthorizationRequest } from '../../src/session/sessionHandle';
import type { ElicitationRequest, PendingElicitation } from '../../src/session/sessionHandle';
import type { RequestsToUser, SessionLookup, SessionHandle } from '../../src/session/sessionHandle';
import { decideAuthorization, authorizationRuleRequest } from '../../src/session/userRequests/clientAuthorization';
import type { Action } from '../../src/shared/state/sessionActions';
import { reduce } from '../../src/shared/state/sessionReducer';
import { emptySession } from '../../src/shared/state/sessionState';
import { emptyPolicy } from '../unit/permissions/emptyPolicy';

/** The id by which the tests' agent knows its session. */
export const AGENT_SESSION = 'agent-session';

const NO_APPROVALS = new SessionApprovals(() => ruleEngine);

/** A stub session that records dispatched actions. */
export class RecordingSession implements SessionHandle, RequestsToUser {
  readonly id: string = 'session';
  readonly userRequests: RequestsToUser = this;
  readonly cwd: string;
  readonly folders: readonly string[];
  readonly actions: Action[] = [];
  readonly policy = emptyPolicy();
  /** Titles of Parley's permission requests. */
  readonly ownQuestions: string[] = [];
  ownAnswer = false;
  state = emptySession('session');
  #waiting: (() => void)[] = [];

  constructor(folders: readonly string[]) {
    this.cwd = folders[0] ?? '/';
    this.folders = folders;
  }

  dispatch(action: Action): void {
    this.actions.push(action);
    this.state = reduce(this.state, action);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  requestPermission(): never {
    throw new Error('No permission is asked for in these tests');
  }

  async judge(question: AuthorizationRequest): ReturnType<RequestsToUser['judge']> {
    const session = { agent: 'agent', folders: this.folders, confined: undefined };
    const request = authorizationRuleRequest(question, session);
    const ruled = decideByPolicy(this.policy, this.id, request);
    return decideAuthorization(question, request, ruled, session, NO_APPROVALS);
  }

  /** Decides like a session without rules; requests that would go to the user are answered with {@link ownAnswer}. */
  async authorize(question: AuthorizationRequest): Promise<AuthorizationResult> {
    const { decision, reason, by } = await this.judge(question);
    if (decision !== 'ask') return { allowed: decision === 'allow', reason, by };
    this.ownQuestions.push(question.title);
    const said = this.ownAnswer ? 'the user allowed it' : 'the user rejected it';
    return { allowed: this.ownAnswer, reason: said, by: 'person' };
  }

  elicit(_request: ElicitationRequest): PendingElicitation {
    throw new Error('No form is asked for in these tests');
  }

  /** Resolves when the state satisfies the predicate. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  lookup(): SessionLookup {
    return { find: (id) => (id === AGENT_SESSION ? this : undefined) };
  }
}

/** Calls a method of a feature as the connection does: parses, then handles. */
export async function call(
  feature: ClientFeature,
  method: string,
  params: object,
  signal = new AbortController().signal,
): Promise<unknown> {
  const found = feature.handlers.find((handler) => handler.method === method);
  assert(found, `${method} has a handler`);
  return found.handle(found.parse({ sessionId: AGENT_SESSION, ...params }), { signal });
}

export { nullLogger };

/** The first folder of the test workspace. */
export function workspaceFolder(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert(folder, 'a folder is open');
  return folder.uri.fsPath;
}

/** A new folder inside the workspace. */
export function makeInside(name: string): Promise<string> {
  return mkdtemp(join(workspaceFolder(), `${name}-`));
}

/** A new folder outside the workspace. */
export async function makeOutside(name: string): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), `${name}-`)));
}

export function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
