import * as vscode from 'vscode';
import type { Disposable } from '../base/lifecycle';
import type { Notify } from '../base/settings';
import { withoutLinks } from '../base/visible';
import type { PermissionOption } from '../shared/state';
import { LATE } from './inbox';
import type { ViewSession, ViewSessions } from './ports';
import { answer, formAt, formText, requestText, waitingAt } from './waiting';
import type { RequestText, WaitingForm, WaitingRequest } from './waiting';

/** Longest text of a notification, in UTF-16 units. What does not fit is decided where all of it can be read. */
const MAX_TEXT = 400;

interface Button extends vscode.MessageItem {
  readonly option?: PermissionOption;
}

export interface NotificationsOptions {
  readonly sessions: ViewSessions;
  notify(): Notify;
  /** Whether the person sees the chat of this session. */
  isShown(session: ViewSession): boolean;
  reveal(request: Pick<WaitingRequest, 'session' | 'entry'>): Promise<void>;
}

/**
 * Shows a request for permission as a notification when the chat that asks is not visible, with the agent's own option names.
 * Closing it answers nothing. VS Code has no way to close it when the request is answered elsewhere: a late click changes nothing and says so.
 */
export class Notifications implements Disposable {
  readonly #options: NotificationsOptions;
  readonly #subscription: Disposable;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    this.#subscription = options.sessions.onDidAsk(({ session, entry }) => {
      const request = waitingAt(session, entry);
      const form = formAt(session, entry);
      if (request && this.#wants(session)) void this.#show(request);
      else if (form && this.#wants(session)) void this.#showForm(form);
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #wants(session: ViewSession): boolean {
    const notify = this.#options.notify();
    return notify === 'always' || (notify === 'whenHidden' && !this.#options.isShown(session));
  }

  async #showForm(form: WaitingForm): Promise<void> {
    const { sentence } = cut(formText(form));
    const chosen = await vscode.window.showWarningMessage<Button>(sentence, { title: 'Show' });
    if (chosen) await this.#options.reveal(form);
  }

  async #show(request: WaitingRequest): Promise<void> {
    const text = requestText(request.session.state, request.permission);
    const { sentence, complete } = toastText(text);
    const options: Button[] = complete
      ? request.permission.options.map((option) => ({ title: option.name, option }))
      : [];
    const chosen = await vscode.window.showWarningMessage<Button>(sentence, ...options, { title: 'Show' });
    if (!chosen) return;
    if (!chosen.option) await this.#options.reveal(request);
    else if (!answer(request, chosen.option)) void vscode.window.showInformationMessage(LATE);
  }
}

/** The sentence of a notification; not `complete` when something had to be left out. */
export function toastText(text: RequestText): { readonly sentence: string; readonly complete: boolean } {
  const sentence = `${text.agent}: ${text.title}${text.detail === undefined ? '' : ` (${text.detail})`}`;
  return cut(sentence);
}

function cut(text: string): { readonly sentence: string; readonly complete: boolean } {
  const sentence = withoutLinks(text);
  if (sentence.length <= MAX_TEXT) return { sentence, complete: true };
  return { sentence: `${sentence.slice(0, MAX_TEXT)}… “Show” has the rest.`, complete: false };
}
