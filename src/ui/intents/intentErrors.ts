import * as vscode from 'vscode';
import { errorSentences } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Intent, IntentSource } from '../window';

/** Shows that a user action failed. Returns written text to the page. */
export function reportIntentError(intent: Intent, { session, page }: IntentSource, error: unknown): void {
  const why = errorSentences(error);
  if (intent.type === 'send' || intent.type === 'changeQueued') {
    const { text, attachments = [] } = intent;
    page.post({ type: 'sendRefused', session: session.id, text, attachments, reason: why });
    return;
  }
  if (intent.type === 'resend') {
    page.post({ type: 'resendEnded', session: session.id, entry: intent.entry, problem: why });
    return;
  }
  const run = async (): Promise<void> => vscode.commands.executeCommand('parley.showLog');
  const text = `${failureOf(intent.type)} ${why}`;
  page.showNotice({ text, isWarning: true, button: { label: t('Show Log'), run } }, session);
}

/** Error sentences by intent; others share one sentence. */
const FAILURES: readonly { readonly of: readonly Intent['type'][]; readonly sentence: string }[] = [
  {
    of: ['openLink', 'openFile', 'openDiff', 'openChange', 'openCode', 'showDiagram', 'openData'],
    sentence: t('Could not open the item.'),
  },
  { of: ['saveData'], sentence: t('Could not save the file.') },
  { of: ['copy'], sentence: t('Could not copy to the clipboard.') },
  { of: ['insertCode', 'applyCode'], sentence: t('Could not add the code to the file.') },
  { of: ['keepAll', 'keepFile', 'keepDiff'], sentence: t('Could not keep the changes.') },
  { of: ['undoAll', 'undoFile', 'undoDiff'], sentence: t('Could not undo the changes.') },
  { of: ['restoreCheckpoint', 'undoRestore'], sentence: t('Could not restore the files.') },
  { of: ['attachFrom', 'attachUris'], sentence: t('Could not add the attachment.') },
  {
    of: [
      'answerPermission',
      'rejectAndExplain',
      'editPlan',
      'rememberPermission',
      'rememberRule',
      'answerElicitation',
      'openElicitation',
    ],
    sentence: t('Could not submit the answer.'),
  },
  { of: ['chooseFolder'], sentence: t('Could not use the folder.') },
  { of: ['chooseOption'], sentence: t('Could not set the option.') },
  {
    of: ['chooseAgent', 'choosePreset', 'addAgent', 'installAgent', 'restartAgent'],
    sentence: t('Could not use the agent.'),
  },
  { of: ['signIn', 'signInServer'], sentence: t('Sign-in failed.') },
  { of: ['stop', 'forceStop', 'stopCommand', 'stopSubagent'], sentence: t('The stop request failed.') },
];

function failureOf(type: Intent['type']): string {
  return FAILURES.find(({ of }) => of.includes(type))?.sentence ?? t('The operation failed.');
}
