import * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import type { Logger } from '../../base/logger';
import { Follow } from './followAgent';
import type { FollowOptions } from './followAgent';
import { FollowPreview } from './followPreview';
import type { PlainSettingsReader } from '../../base/settings';

interface FollowDeps extends Pick<FollowOptions, 'sessions'> {
  readonly settings: PlainSettingsReader<'follow'>;
  readonly log: Logger;
}

/** Creates the follow feature for VS Code's editor. */
export function createFollow(deps: FollowDeps): Follow {
  const { log, sessions, settings } = deps;
  return new Follow({
    sessions,
    editor: new FollowPreview(log),
    enabled: () => settings.get('follow'),
    setEnabled: writeSetting,
    onDidChangeSettings: settings.onDidChange,
    clock: systemClock,
  });
}

/** Writes the workspace value where one exists, because it overrides the user's value. */
async function writeSetting(enabled: boolean): Promise<void> {
  const settings = vscode.workspace.getConfiguration('parley');
  const inWorkspace = settings.inspect('follow')?.workspaceValue !== undefined;
  const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update('follow', enabled, target);
}
