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
import type { ShowNotice } from '../../../workbench/notice';
import { openSettings } from '../../../workbench/openSettings';
import type { InstallAgent } from '../../agents/installAgent';
import type { FolderCommands } from '../../sessions/folderCommands';
import type { IntentHandlers } from './intentRouter';
import type { EditorActions } from '../../editorActions/registerEditorActions';
import type { UiDeps } from '../../uiDeps';
import { errorMessage } from '../../../base/errors';
import type { RememberScope } from '../../../shared/state/toolCallState';
import type { UiSession } from '../../uiTypes';

const NOT_KEPT = t('The output of this command is no longer available.');

export interface IntentHandlerDeps extends Pick<IntentHandlers, 'attaching'> {
  readonly installAgent: Pick<InstallAgent, 'show' | 'add'>;
  readonly entries: ContentActions;
  readonly folders: Pick<FolderCommands, 'choose'>;
  readonly plans: Lazy<PlanEditor>;
  readonly worktrees: Pick<WorktreeUi, 'send' | 'race'>;
  readonly editorActions: () => EditorActions;
  readonly showNotice: ShowNotice;
}

export function createIntentHandlers(
  options: UiDeps,
  store: DisposableStore,
  { installAgent, attaching, entries, folders, plans, worktrees, editorActions, showNotice }: IntentHandlerDeps,
): IntentHandlers {
  const diffs = store.add(new DiffDocuments(options.sessions, showNotice));
  return {
    ...linkHandlers(showNotice),
    openDiff: (session, diffId) => diffs.open(session, diffId),
    stopCommand: (session, terminalId) => options.stopCommand(session, terminalId),
    showTerminal: async (session, terminalId) => {
      if (!(await options.showTerminal(session, terminalId))) showNotice({ text: NOT_KEPT }, session.id);
    },
    review: (session, intent) => options.review.handle(session, intent),
    entries: (from, intent) => entries.handle(from, intent),
    branch: async (from, intent) => handleBranch(await options.branches.load(), from, intent),
    toggleFollow: () => options.follow.toggle(),
    tools: (intent) => options.tools.handle(intent),
    refreshTools: () => options.tools.refresh(),
    ...editorHandlers(),
    welcome: (intent) => editorActions().welcome(intent),
    showLog: () => options.log.show(),
    attaching,
    chooseFolder: (from, folder) => folders.choose(from, folder),
    sendElsewhere: (...draft) => worktrees.send(...draft),
    race: (...intent) => worktrees.race(...intent),
    installAgent: () => installAgent.show(),
    addAgent: (name) => installAgent.add(name),
    signIn: async (session) => (await import('../../agents/signInCommands')).signIn(session, showNotice),
    continueInNewChat: async ({ id }) => vscode.commands.executeCommand('parley.continueInNewChat', { session: id }),
    openSession: async (id) => vscode.commands.executeCommand('parley.openSession', id),
    editPlan: async (session, permissionId) => (await plans.load()).open(session, permissionId),
    remember: (...answer) => rememberAnswer(showNotice, ...answer),
    rememberRule: (...request) => buildRule(options.policy, showNotice, ...request),
    failed: async (...args) => (await import('./intentErrors')).reportIntentError(...args),
    openElicitation,
  };
}

function linkHandlers(showNotice: ShowNotice): Pick<IntentHandlers, 'openLink' | 'openFile'> {
  const noticeIn =
    ({ id }: UiSession): ShowNotice =>
    (notice) =>
      showNotice(notice, id);
  return {
    openLink: async (session, href) => (await import('../content/openLink')).openLink(href, session, noticeIn(session)),
    openFile: async (session, path, { line, lastLine }) =>
      (await import('../content/openLink')).openFile(
        path,
        session,
        omitUndefined({ line, lastLine }),
        noticeIn(session),
      ),
  };
}

function editorHandlers(): Pick<IntentHandlers, 'copy' | 'manageTrust' | 'openSettings'> {
  return {
    copy: async (text) => vscode.env.clipboard.writeText(text),
    manageTrust: async () => vscode.commands.executeCommand('workbench.trust.manage'),
    openSettings,
  };
}

async function openElicitation({ userRequests }: UiSession, elicitationId: string): Promise<void> {
  const { elicitations } = userRequests;
  const address = elicitations.address(elicitationId);
  if (address === undefined) return;
  if (await openExternalUrl(address)) elicitations.answer(elicitationId, { action: 'accept' });
}

async function buildRule(
  { remembered }: UiDeps['policy'],
  showNotice: ShowNotice,
  active: UiSession,
  permissionId: string,
): Promise<void> {
  const { AddRule } = await import('../../permissions/addRule');
  await new AddRule(remembered, { active }, showNotice).remember(permissionId);
}

/** Stores an "always" rule with this scope, and reports failures. */
async function rememberAnswer(
  showNotice: ShowNotice,
  session: UiSession,
  permissionId: string,
  scope: RememberScope,
): Promise<void> {
  try {
    await session.userRequests.remember(permissionId, scope);
  } catch (error) {
    const text = t('Could not save this rule: {0}. The rule applies only in this window.', errorMessage(error));
    showNotice({ text, isWarning: true }, session.id);
  }
}
