import * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import { Lazy } from '../../base/lazy';
import type { Logger } from '../../base/logger';
import type { PlainSettingsReader } from '../../base/settings';
import type { Sessions } from '../../session/sessions';
import { Follow } from './followAgent';
import type { FollowEditor } from './followAgent';

/** Creates the follow feature for VS Code's editor. */
export function createFollow(sessions: Sessions, settings: PlainSettingsReader<'follow'>, log: Logger): Follow {
  const isEnabled = (): boolean => settings.get('follow');
  const setting = { isEnabled, setEnabled: writeSetting, onDidChange: settings.onDidChange };
  return new Follow(sessions, createPreview(log), setting, onDidType, systemClock);
}

/** Fires at keys in any editor. */
const onDidType: Event<void> = (listener) =>
  vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
    if (kind === vscode.TextEditorSelectionChangeKind.Keyboard) listener();
  });

/** Loads the preview when it is first shown. */
function createPreview(log: Logger): FollowEditor {
  const onDidTakeOver = new Emitter<void>();
  const preview = new Lazy(async () => {
    const { FollowPreview } = await import('./followPreview');
    const loaded = new FollowPreview(log);
    loaded.onDidTakeOver(() => onDidTakeOver.fire());
    return loaded;
  });
  return {
    onDidTakeOver: onDidTakeOver.event,
    reveal: async (location, session) => (await preview.load()).reveal(location, session),
    isOnlyPreviewed: (uri) => preview.value?.isOnlyPreviewed(uri) ?? false,
    clear: () => preview.value?.clear(),
    dispose: () => {
      preview.dispose();
      onDidTakeOver.dispose();
    },
  };
}

/** Writes the workspace value where one exists, because it overrides the user's value. */
async function writeSetting(isEnabled: boolean): Promise<void> {
  const settings = vscode.workspace.getConfiguration('parley');
  const isInWorkspace = settings.inspect('follow')?.workspaceValue !== undefined;
  const target = isInWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update('follow', isEnabled, target);
}
