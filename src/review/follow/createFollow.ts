import * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import type { Logger } from '../../base/logger';
import { Follow } from './followAgent';
import type { FollowSessions } from './followAgent';
import { FollowPreview } from './followPreview';
import type { PlainSettingsReader } from '../../base/settings';

/** Creates the follow feature for VS Code's editor. */
export function createFollow(sessions: FollowSessions, settings: PlainSettingsReader<'follow'>, log: Logger): Follow {
  const isEnabled = (): boolean => settings.get('follow');
  const setting = { isEnabled, setEnabled: writeSetting, onDidChange: settings.onDidChange };
  return new Follow(sessions, new FollowPreview(log), setting, systemClock);
}

/** Writes the workspace value where one exists, because it overrides the user's value. */
async function writeSetting(isEnabled: boolean): Promise<void> {
  const settings = vscode.workspace.getConfiguration('parley');
  const isInWorkspace = settings.inspect('follow')?.workspaceValue !== undefined;
  const target = isInWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update('follow', isEnabled, target);
}
