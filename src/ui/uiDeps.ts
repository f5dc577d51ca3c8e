import type * as vscode from 'vscode';
import type { AgentInstalls } from '../agent/registry/agentInstalls';
import type { Event } from '../base/event';
import type { Lazy } from '../base/lazy';
import type { Logger } from '../base/logger';
import type { Git } from '../node/gitCommand';
import type { AuditLog } from '../permissions/auditLog';
import type { EditApprovalMemory } from '../permissions/editApprovalMemory';
import type { PermissionPolicy } from '../permissions/permissionPolicy';
import type { RuleStore } from '../permissions/rememberedRules';
import type { AgentPool } from '../session/agents/agentPool';
import type { EditAndResend } from '../session/commands/editAndResend';
import type { PromptFileStore } from '../session/promptFiles/promptFileStore';
import type { Session } from '../session/session';
import type { SessionCatalog } from '../session/sessionCatalog';
import type { Sessions } from '../session/sessions';
import type { FollowStatus, ReviewIntent } from '../shared/protocol/chatPageProtocol';
import type { Worktrees } from '../worktrees/worktrees';
import type { ApplyDeps } from './chat/content/applyCode';
import type { DraftMemory } from './chat/draftStore';
import type { ToolsPanelSource } from './chat/toolsPanelFeed';
import type { EditorActionDeps } from './editorActions/registerEditorActions';
import type { RegistryUrl } from './registryUrl';
import type { SessionNode } from './sessions/sessionTree';
import type { WorkspaceApprovals } from './trust/workspaceApprovals';
import type { UiSettings, WorktreeSettings } from './uiTypes';

/** Dependencies of `ui`; created by `app.ts`. */
export interface UiDeps {
  readonly extensionUri: vscode.Uri;
  readonly sessions: Sessions;
  readonly catalog: SessionCatalog;
  readonly sessionsView: vscode.TreeView<SessionNode>;
  readonly log: Logger & { show(): void };
  readonly git: Git;
  /** Stored per workspace. */
  readonly memory: DraftMemory;
  readonly settings: UiSettings & WorktreeSettings;
  readonly installs: AgentInstalls;
  readonly registry: RegistryUrl;
  /** The processes of the agents. */
  readonly agentPool: AgentPool;
  /** The sources and the log of permission decisions. */
  readonly policy: {
    readonly audit: Pick<AuditLog, 'entries' | 'export' | 'onDidAppend'>;
    readonly editApprovals: Pick<EditApprovalMemory, 'asksBeforeEdits'>;
    readonly remembered: RuleStore;
    readonly rules: PermissionPolicy['rules'];
  };
  /** Ends a command of an agent. */
  stopCommand(session: Session, terminalId: string): void;
  /** Shows the output of a command in a terminal; false when the terminal is unknown. */
  showTerminal(session: Session, terminalId: string): Promise<boolean>;
  /**
   * Writes a file so that the change is under review in the session.
   * @param path absolute
   */
  readonly edit: ApplyDeps['edit'];
  /** Executes user actions on changed files and checkpoints of a session. */
  readonly review: {
    handle(session: Session, intent: ReviewIntent): Promise<void>;
    /**
     * Runs a change of workspace files for a session after a checkpoint.
     * @returns for the intent `undoRestore`; undefined where checkpoints are off, or nothing changed
     */
    readonly withCheckpoint: (sessionId: string, change: () => Promise<void>) => Promise<string | undefined>;
  };
  /** Continues from an earlier message. */
  readonly branches: Lazy<EditAndResend>;
  readonly worktrees: Worktrees;
  /** The user's decisions about content of the workspace. */
  readonly approvals: WorkspaceApprovals;
  readonly editorActions: EditorActionDeps;
  /** The tool servers of agents. */
  readonly tools: ToolsPanelSource;
  /** The user's prompt files. */
  readonly prompts: Pick<PromptFileStore, 'commands' | 'onDidChange'>;
  readonly follow: {
    readonly status: FollowStatus;
    toggle(): Promise<void>;
    isOnlyPreviewed(uri: string): boolean;
    readonly onDidChange: Event<unknown>;
  };
}
