import * as vscode from 'vscode';
import { t } from '../../../base/l10n';
import type { DisposableStore } from '../../../base/lifecycle';
import { omitUndefined } from '../../../base/json';
import { branch } from './branchIntents';
import { DiffDocuments } from '../content/toolDiffDocuments';
import type { EntryActions } from '../content/contentActions';
import { openExternalUrl } from '../../../workbench/openExternal';
import type { InstallAgent } from '../../agents/installAgent';
import type { IntentTargets } from './intentRouter';
import { openFile, openLink } from '../content/openLink';
import { remember } from './remember';
import { signIn } from '../../agents/signInCommands';
import type { MountedSurfaces } from '../../editorActions/registerEditorActions';
import type { ViewOptions } from '../../uiDeps';

/** What the room builds itself and others of its parts carry out. */
export interface TargetParts extends Pick<IntentTargets, 'attaching'> {
  readonly installAgent: Pick<InstallAgent, 'show' | 'add'>;
  readonly entries: EntryActions;
  readonly surfaces: () => MountedSurfaces;
}

/** Who carries out what the person does in a page. */
export function intentTargets(
  options: ViewOptions,
  store: DisposableStore,
  { installAgent, attaching, entries, surfaces }: TargetParts,
): IntentTargets {
  const diffs = store.add(new DiffDocuments(options.sessions));
  return {
    openLink: (session, href) => openLink(href, session.folders),
    openFile: (session, path, { line, lastLine }) => openFile(path, session.folders, omitUndefined({ line, lastLine })),
    openDiff: (session, diffId) => diffs.open(session, diffId),
    stopCommand: (session, terminalId) => options.stopCommand(session, terminalId),
    showTerminal: async (session, terminalId) => {
      if (!(await options.showTerminal(session, terminalId))) sayNotKept();
    },
    review: (session, intent) => options.review(session, intent),
    entries: (from, intent) => entries.handle(from, intent),
    branch: (from, intent) => branch(options.branches, from, intent),
    toggleFollow: () => options.follow.toggle(),
    tools: (intent) => options.tools.handle(intent),
    refreshTools: () => options.tools.refresh(),
    ...editorTargets(),
    welcome: (intent) => surfaces().welcome(intent),
    showLog: () => options.showLog(),
    attaching,
    installAgent: () => installAgent.show(),
    addAgent: (name) => installAgent.add(name),
    signIn: (session) => signIn(session),
    continueInNewChat: async ({ id }) => vscode.commands.executeCommand('parley.continueInNewChat', { session: id }),
    remember,
    failed: async (...args) => (await import('./intentErrors')).tellFailure(...args),
    openElicitation: async (session, elicitationId) => {
      const address = session.elicitations.address(elicitationId);
      if (address === undefined) return;
      if (await openExternalUrl(address)) session.elicitations.answer(elicitationId, { action: 'accept' });
    },
  };
}

function editorTargets(): Pick<IntentTargets, 'copy' | 'manageTrust' | 'openSettings'> {
  return {
    copy: async (text) => vscode.env.clipboard.writeText(text),
    manageTrust: async () => vscode.commands.executeCommand('workbench.trust.manage'),
    openSettings: async () => vscode.commands.executeCommand('workbench.action.openSettings', '@ext:parley.parley'),
  };
}

function sayNotKept(): void {
  void vscode.window.showInformationMessage(t('The output of this command was not kept.'));
}
