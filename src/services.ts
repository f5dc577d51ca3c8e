import { join } from 'node:path';
import * as vscode from 'vscode';
import { AgentInstalls } from './agent/registry/agentInstalls';
import { systemClock } from './base/clock';
import { errorMessage } from './base/errors';
import { Lazy } from './base/lazy';
import type { Disposable } from './base/lifecycle';
import { DisposableStore } from './base/lifecycle';
import type { Redactor } from './base/redactor';
import type { PermissionPolicyService } from './client/permissionPolicyService';
import { createPermissionPolicy } from './client/permissionPolicyService';
import { SecretInputs } from './client/secretInputs';
import { Configuration } from './configuration';
import type { Git } from './node/gitCommand';
import type { OutputLog } from './outputLog';
import { RegistryUrl } from './ui/registryUrl';
import { ConfirmAgent } from './ui/trust/confirmAgent';
import { ConfirmServer } from './ui/trust/confirmServer';
import { WorkspaceApprovals } from './ui/trust/workspaceApprovals';
import type { ExtensionInfo } from './ui/window';
import { createGit } from './workbench/createGit';
import { ReadOnlyDocuments } from './workbench/virtualDocuments';
import { localFolders, workingFolder } from './workbench/workspaceFolders';
import { RepositoryWorktrees } from './worktrees/repositoryWorktrees';

/** Confirmations for everything that a workspace defines. */
interface Confirmations {
  readonly approvals: WorkspaceApprovals;
  readonly agents: ConfirmAgent;
  readonly servers: ConfirmServer;
}

/** The services that all parts of a window use: log, secrets, settings, confirmations, installed agents, permission policy. */
export class CoreServices implements Disposable {
  readonly #store = new DisposableStore();
  readonly context: vscode.ExtensionContext;
  readonly extension: ExtensionInfo;
  readonly redactor: Redactor;
  readonly secrets: SecretInputs;
  readonly log: OutputLog;
  readonly confirm: Confirmations;
  readonly registry: RegistryUrl;
  readonly installs: AgentInstalls;
  readonly settings: Configuration;
  readonly policy: PermissionPolicyService;
  /** For repositories of the workspace. */
  readonly git: Git;

  /** @param log not disposed here */
  constructor(context: vscode.ExtensionContext, log: OutputLog, redactor: Redactor) {
    this.context = context;
    this.log = log;
    this.redactor = redactor;
    const version = String((context.extension.packageJSON as { version?: unknown }).version);
    this.extension = { uri: context.extensionUri, version, memory: context.globalState };
    this.secrets = new SecretInputs(context.secrets, redactor);
    const approvals = new WorkspaceApprovals(context.workspaceState);
    const documents = this.#store.add(new ReadOnlyDocuments('parley-text'));
    const agents = new ConfirmAgent(approvals, workingFolder, documents);
    this.confirm = { approvals, agents, servers: new ConfirmServer(approvals, documents) };
    this.registry = new RegistryUrl(() => this.settings.registry, this.confirm.approvals);
    this.installs = this.#store.add(this.#openInstalls());
    this.settings = this.#store.add(new Configuration(log, redactor, context.extensionPath, this.installs));
    this.#store.add(this.installs.onDidChange(() => this.settings.refresh()));
    this.#store.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && this.installs.recheck()));
    this.git = createGit(join(context.globalStorageUri.fsPath, 'git'));
    this.policy = this.#store.add(this.#createPolicy());
  }

  /** A folder for data of this workspace, absolute. `shared` is true without a workspace folder: then other windows use the same folder. */
  storage(name: string): { readonly folder: string; readonly isShared: boolean } {
    const { storageUri, globalStorageUri } = this.context;
    const folder = vscode.Uri.joinPath(storageUri ?? globalStorageUri, name).fsPath;
    return { folder, isShared: storageUri === undefined };
  }

  /** The git worktrees of the workspace's repositories. All windows share their folder. */
  async openWorktrees(): Promise<RepositoryWorktrees> {
    const folder = join(this.context.globalStorageUri.fsPath, 'worktrees');
    const owner = this.storage('sessions').folder;
    const worktrees = await RepositoryWorktrees.open(this.git, this.log, folder, owner, localFolders());
    const follow = (): void =>
      void worktrees
        .setFolders(localFolders())
        .catch((error: unknown) => this.log.error('app', `Failed to open the worktrees: ${errorMessage(error)}`));
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(follow));
    return worktrees;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #openInstalls(): AgentInstalls {
    const folder = this.context.globalStorageUri.fsPath;
    const cache = join(folder, 'registry.json');
    const registry = new Lazy(async () => {
      const { AgentRegistry } = await import('./agent/registry/agentRegistry');
      return new AgentRegistry(this.registry, cache, this.log, systemClock);
    });
    return new AgentInstalls(registry, this.context.globalState, join(folder, 'agents'), this.log);
  }

  #createPolicy(): PermissionPolicyService {
    const { context, settings, redactor, log, git } = this;
    return createPermissionPolicy(context, settings, redactor, log, git);
  }
}
