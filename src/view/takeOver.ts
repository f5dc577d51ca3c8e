import * as vscode from 'vscode';
import { t } from '../base/l10n';
import { showHiddenInLine, withoutLinks } from '../base/visible';
import type { SessionCatalog } from '../session/catalog';
import type { ViewSessions } from './ports';
import { offerElsewhere } from './told';

export interface TakeOverParts {
  readonly sessions: Pick<ViewSessions, 'isElsewhere' | 'takeOver'>;
  readonly catalog: Pick<SessionCatalog, 'transcript'>;
}

/**
 * Takes a session from the window that has it. Asks where an agent would be stopped by that.
 * @param open shows the session here @throws OpenElsewhereError when yet another window was faster
 */
export async function takenOver(id: string, parts: TakeOverParts, open: () => Promise<void>): Promise<void> {
  const { sessions, catalog } = parts;
  if (sessions.isElsewhere(id)) {
    const state = await catalog.transcript(id);
    if (state?.turn.status === 'running' && !(await mayStopThere())) return;
  }
  const title = t('Waiting for the other window to let go of the session…');
  const shown = { location: vscode.ProgressLocation.Notification, title };
  const mine = await vscode.window.withProgress(shown, () => sessions.takeOver(id));
  try {
    await open();
  } finally {
    mine.dispose();
  }
}

async function mayStopThere(): Promise<boolean> {
  const question = t('Stop the agent in the other window and take over the session?');
  const detail = t('The agent is working in it. Changes that were made to files stay.');
  const answer = t('Stop and Take Over');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, answer)) === answer;
}

/** A session of this window goes on in another one. @param gone `copy`: the title of what keeps what came in here since */
export function tellGone(gone: { readonly id: string; readonly title: string; readonly copy?: string }): Promise<void> {
  const title = showHiddenInLine(gone.title);
  const sentence =
    gone.copy === undefined
      ? t('“{0}” goes on in another window.', title)
      : t(
          '“{0}” was taken over by another window while this one did not answer. What came in here since is in “{1}”.',
          title,
          showHiddenInLine(gone.copy),
        );
  return offerElsewhere(withoutLinks(sentence), gone.id);
}
