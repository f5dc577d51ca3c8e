import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { plainLabel } from '../../base/untrustedText';
import type { Session } from '../../session/session';
import type { SignInMethod } from '../../shared/state/sessionState';
import type { ShowNotice } from '../../workbench/notice';
import { showWarningMessage } from '../../workbench/windowMessages';

interface SignInPickItem extends vscode.QuickPickItem {
  readonly method: SignInMethod;
}

export async function signIn(session: Session, showNotice: ShowNotice): Promise<void> {
  if (session.needsAgent) return void (await vscode.commands.executeCommand('parley.selectAgent'));
  const offer = await session.auth.offer();
  if (!offer) return;
  const { agent, methods, account } = offer;
  if (methods.length === 0) {
    const text = t(
      '{0} does not offer sign-in here. If the agent requires it, sign in with its own command in a terminal, then restart the agent.',
      agent,
    );
    return showNotice({ text }, session.id);
  }
  const items = methods.map((method) => toPickItem(method));
  const placeHolder =
    account === undefined ? t('Select a sign-in method') : t('Signed in as {0}. Select a sign-in method', account);
  const chosen = await vscode.window.showQuickPick(items, { title: t('Sign In to {0}', agent), placeHolder });
  if (!chosen) return;
  if (chosen.method.type === 'unsupported') {
    const text = t('Parley does not support the sign-in method “{0}” of {1}.', chosen.method.name, agent);
    return showNotice({ text, isWarning: true }, session.id);
  }
  await session.auth.signIn(chosen.method.id);
}

/** After confirmation: sessions of this agent will require a sign-in again. */
export async function signOut(session: Session, showNotice: ShowNotice): Promise<void> {
  const offer = await session.auth.offer();
  if (!offer) return;
  const { agent, account, canSignOut } = offer;
  if (!canSignOut) return showNotice({ text: t('{0} does not support signing out.', agent) }, session.id);
  const message = account === undefined ? t('Sign out of {0}?', agent) : t('Sign out of {0} ({1})?', agent, account);
  const answer = t('Sign Out');
  const detail = t('Sessions with this agent will require you to sign in again.');
  const chosen = await showWarningMessage(message, { modal: true, detail }, answer);
  if (chosen === answer) await session.auth.signOut();
}

function toPickItem(method: SignInMethod): SignInPickItem {
  const { name, description, command, unsupportedType } = method;
  const how = command === undefined ? undefined : t('Runs in a terminal: {0}', command);
  const lacking =
    unsupportedType === undefined ? undefined : t('Not supported by Parley (type “{0}”)', unsupportedType);
  const detail = [description, how, lacking].filter((part) => part !== undefined).join(' · ');
  return { label: plainLabel(name), ...(detail !== '' && { detail: plainLabel(detail) }), method };
}
