import type { WorktreeUi } from '../../worktrees/registerWorktrees';
import * as vscode from 'vscode';
import { t } from '../../../base/l10n';
import type { DisposableStore } from '../../../base/lifecycle';
import { omitUndefined } from '../../../base/json';
import { handleBranch } from './branchIntents';
import { DiffDocuments } from '../content/toolDiffDocuments';
import type { Lazy } from '../../../base/lazy';
import type { PlanEditor } from '../content/planEditor';
import type { ContentActions } from '../content/contentActions';
import { openExternalUrl } from '../../../workbench/openExternal';
import { openSettings } from '../../../workbench/openSettings';
import type { InstallAgent } from '../../agents/installAgent';
import type { FolderCommands } from '../../sessions/folderCommands';
import type { IntentHandlers } from './intentRouter';
import { openFile, openLink } from '../content/openLink';
import { signIn } from '../../agents/signInCommands';
import type { EditorActions } from '../../editorActions/registerEditorActions';
import type { UiDeps } from '../../uiDeps';
import { errorMessage } from '../../../base/errors';
import type { RememberScope } from '../../../shared/state/toolCallState';
import type { UiSession } from '../../uiTypes';

export interface HandlerParts extends Pick<IntentHandlers, 'attaching'> {
  readonly installAgent: Pick<InstallAgent, 'show' | 'add'>;
  readonly entries: ContentActions;
  readonly folders: Pick<FolderCommands, 'choose'>;
  readonly plans: Lazy<PlanEditor>;
  readonly worktrees: Pick<WorktreeUi, 'send' | 'race'>;
  readonly surfaces: () => EditorActions;
}

export function intentTargets(
  options: UiDeps,
  store: DisposableStore,
  { installAgent, attaching, entries, folders, plans, worktrees, surfaces }: HandlerParts,
): IntentHandlers {
  const diffs = store.add(new DiffDocuments(options.sessions));
  return {
    openLink: (session, href) => openLink(href, session),
    openFile: (session, path, { line, lastLine }) => openFile(path, session, omitUndefined({ line, lastLine })),
    openDiff: (session, diffId) => diffs.open(session, diffId),
    stopCommand: (session, terminalId) => options.stopCommand(session, terminalId),
    showTerminal: async (session, terminalId) => {
      if (!(await options.showTerminal(session, terminalId))) sayNotKept();
    },
    review: (session, intent) => options.review.handle(session, intent),
    entries: (from, intent) => entries.handle(from, intent),
    branch: async (from, intent) => handleBranch(await options.branches.load(), from, intent),
    toggleFollow: () => options.follow.toggle(),
    tools: (intent) => options.tools.handle(intent),
    refreshTools: () => options.tools.refresh(),
    ...editorTargets(),
    welcome: (intent) => surfaces().welcome(intent),
    showLog: () => options.log.show(),
    attaching,
    chooseFolder: (from, folder) => folders.choose(from, folder),
    sendElsewhere: (...draft) => worktrees.send(...draft),
    race: (...intent) => worktrees.race(...intent),
    installAgent: () => installAgent.show(),
    addAgent: (name) => installAgent.add(name),
    signIn: (session) => signIn(session),
    continueInNewChat: async ({ id }) => vscode.commands.executeCommand('parley.continueInNewChat', { session: id }),
    openSession: async (id) => vscode.commands.executeCommand('parley.openSession', id),
    editPlan: async (session, permissionId) => (await plans.load()).open(session, permissionId),
    remember: rememberAnswer,
    rememberRule: (session, permissionId) => buildRule(options.policy, session, permissionId),
    failed: async (...args) => (await import('./intentErrors')).reportIntentError(...args),
    openElicitation,
  };
}

function editorTargets(): Pick<IntentHandlers, 'copy' | 'manageTrust' | 'openSettings'> {
  return {
    copy: async (text) => vscode.env.clipboard.writeText(text),
    manageTrust: async () => vscode.commands.executeCommand('workbench.trust.manage'),
    openSettings,
  };
}

function sayNotKept(): void {
  void vscode.window.showInformationMessage(t('The output of this command is no longer available.'));
}

async function openElicitation({ userRequests }: UiSession, elicitationId: string): Promise<void> {
  const { elicitations } = userRequests;
  const address = elicitations.address(elicitationId);
  if (address === undefined) return;
  if (await openExternalUrl(address)) elicitations.answer(elicitationId, { action: 'accept' });
}

async function buildRule({ remembered }: UiDeps['policy'], active: UiSession, permissionId: string): Promise<void> {
  const { AddRule } = await import('../../permissions/addRule');
  await new AddRule(remembered, { active }).remember(permissionId);
}

/** Stores an "always" rule with this scope, and reports failures. */
async function rememberAnswer(session: UiSession, permissionId: string, scope: RememberScope): Promise<void> {
  try {
    await session.userRequests.remember(permissionId, scope);
  } catch (error) {
    const sentence = t('Could not save this rule: {0}. The rule applies only in this window.', errorMessage(error));
    void vscode.window.showErrorMessage(sentence);
  }
}
