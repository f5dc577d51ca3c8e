import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { SessionCatalog } from '../../session/sessionCatalog';
import type { Sessions } from '../../session/sessions';
import type { TakenOverSession } from '../../session/sessionTakeover';
import { showWarningMessage, withProgress } from '../../workbench/windowMessages';
import { offerTakeover } from '../reportErrors';

type Open = (opened: () => void) => Promise<void>;

/**
 * Takes over a session from another window. Asks before it stops a running turn there.
 * @param open shows the session here; calls `opened` once it is open, then waits for its agent
 * @throws SessionLockedError when a third window was faster
 */
export async function takeOverSession(
  id: string,
  sessions: Sessions,
  catalog: SessionCatalog,
  open: Open,
): Promise<void> {
  if (sessions.open.isElsewhere(id)) {
    const state = await catalog.transcript(id);
    if (state?.turn.status === 'running' && !(await mayStopThere())) return;
  }
  const title = t('Waiting for the other window to release the session…');
  const shown = { location: vscode.ProgressLocation.Notification, title };
  const lock = await withProgress(shown, () => sessions.takeOver(id));
  try {
    // Released here: another window may request the session while its agent starts.
    await open(() => lock.dispose());
  } finally {
    lock.dispose();
  }
}

async function mayStopThere(): Promise<boolean> {
  const message = t('Stop the agent in the other window and take over the session?');
  const detail = t('A turn is running in this session. Changes already made to files are kept.');
  const answer = t('Stop and Take Over');
  return (await showWarningMessage(message, { modal: true, detail }, answer)) === answer;
}

/** A session of this window is now open in another one. */
export function showTakenOver(taken: TakenOverSession): Promise<void> {
  return offerTakeover(sentenceOf(taken), taken.id);
}

function sentenceOf({ title, copy, failure }: TakenOverSession): string {
  const shown = escapeInvisibleInline(title);
  if (copy !== undefined) {
    return t(
      '“{0}” was taken over by another window because this window did not respond. Later updates were saved in the session “{1}”.',
      shown,
      escapeInvisibleInline(copy),
    );
  }
  if (failure === undefined) return t('“{0}” is now open in another window.', shown);
  return t(
    '“{0}” was taken over by another window because this window did not respond. Later updates could not be saved: {1}',
    shown,
    failure,
  );
}
