import type { AgentInstalls } from './agent/registry/agentInstalls';
import type { PermissionPolicyService } from './client/permissionPolicyService';
import type { McpService } from './mcp/mcpService';
import type { OutputLog } from './outputLog';
import type { ReviewEditor } from './review/registerReviewEditor';
import type { ReviewService } from './review/reviewService';
import type { MergedCatalog } from './session/mergedCatalog';
import type { PromptFileStore } from './session/promptFiles/promptFileStore';
import type { WindowSessions } from './session/windowSessions';
import type { Ui } from './ui/registerUi';
import type { TrafficFeature } from './ui/traffic/registerTraffic';
import type { Worktrees } from './worktrees/worktrees';

/** For integration tests only. */
export interface TestApi {
  readonly sessions: WindowSessions;
  readonly log: OutputLog;
  readonly catalog: MergedCatalog;
  readonly sessionTree: Ui['sessionTree'];
  readonly installs: AgentInstalls;
  readonly traffic: TrafficFeature;
  readonly prompts: PromptFileStore;
  readonly reviewService: ReviewService;
  readonly reviewEditor: ReviewEditor;
  readonly policy: PermissionPolicyService;
  readonly mcp: McpService;
  readonly worktrees: Worktrees;
}
