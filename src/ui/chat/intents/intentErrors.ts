import * as vscode from 'vscode';
import { ParleyError, errorMessage } from '../../../base/errors';
import { t } from '../../../base/l10n';
import { withFullStop } from '../../../base/text';
import type { Intent } from './intentRouter';
import type { IntentSource } from '../../uiTypes';

/** Shows that a user action failed. Returns written text to the page. */
export function reportIntentError(intent: Intent, { session, page }: IntentSource, error: unknown): void {
  const next = ParleyError.is(error) ? error.nextStep : undefined;
  const why = [withFullStop(errorMessage(error)), next].filter(Boolean).join(' ');
  if (intent.type === 'send' || intent.type === 'changeQueued') {
    const { text, attachments = [] } = intent;
    page.tell({ type: 'sendRefused', session: session.id, text, attachments, reason: why });
    return;
  }
  if (intent.type === 'resend') {
    page.tell({ type: 'resendEnded', session: session.id, entry: intent.entry, problem: why });
    return;
  }
  const run = async (): Promise<void> => vscode.commands.executeCommand('parley.showLog');
  const text = `${failureOf(intent.type)} ${why}`;
  page.showNotice({ text, isWarning: true, button: { label: t('Show Log'), run } }, session);
}

/** Error sentences by intent; others share one sentence. */
const FAILURES: readonly { readonly of: readonly Intent['type'][]; readonly sentence: string }[] = [
  {
    of: ['openLink', 'openFile', 'openDiff', 'openChange', 'openCode', 'openData'],
    sentence: t('It could not be opened.'),
  },
  { of: ['saveData'], sentence: t('It could not be saved.') },
  { of: ['copy'], sentence: t('It could not be copied.') },
  { of: ['insertCode', 'applyCode'], sentence: t('The code could not be put into the file.') },
  { of: ['keepAll', 'keepFile', 'keepDiff'], sentence: t('The changes could not be kept.') },
  { of: ['undoAll', 'undoFile', 'undoDiff'], sentence: t('The changes could not be undone.') },
  { of: ['restoreCheckpoint', 'undoRestore'], sentence: t('The files could not be set back.') },
  { of: ['attachFrom', 'attachUris'], sentence: t('Nothing was attached.') },
  {
    of: ['answerPermission', 'rememberPermission', 'answerElicitation', 'openElicitation'],
    sentence: t('The answer could not be given.'),
  },
  { of: ['chooseOption'], sentence: t('The option could not be chosen.') },
  { of: ['chooseAgent', 'addAgent', 'installAgent', 'restartAgent'], sentence: t('The agent could not be used.') },
  { of: ['signIn', 'signInServer'], sentence: t('Signing in did not work.') },
  { of: ['stop', 'forceStop', 'stopCommand', 'stopSubagent'], sentence: t('It could not be stopped.') },
];

function failureOf(type: Intent['type']): string {
  return FAILURES.find(({ of }) => of.includes(type))?.sentence ?? t('That did not work.');
}
