import * as vscode from 'vscode';
import { DisposableStore } from '../base/lifecycle';
import type { PermissionKind, PermissionOption } from '../shared/state';
import type { ViewSessions } from './ports';
import { answer, formText, optionsOf, requestText, waitingForms, waitingRequests } from './waiting';
import type { WaitingForm, WaitingRequest } from './waiting';

/** Milliseconds in which a list that has just opened takes no answer: a key meant for something else must not allow anything. */
const GUARD = 500;

interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

export interface InboxOptions {
  readonly sessions: ViewSessions;
  /** Brings a request into view. */
  reveal(request: Pick<WaitingRequest, 'session' | 'entry'>): Promise<void>;
}

/** Answers requests of all sessions by quick picks and commands. */
export class Inbox {
  readonly #options: InboxOptions;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** "Show Waiting": choose a request, then one of the agent's own options. */
  async show(): Promise<void> {
    const requests = waitingRequests(this.#options.sessions);
    const forms = waitingForms(this.#options.sessions);
    if (requests.length + forms.length === 0) {
      void vscode.window.showInformationMessage('No request is waiting.');
      return;
    }
    const request = await pickRequest(requests, forms);
    if (!request) return;
    if ('form' in request) await this.#options.reveal(request);
    else await this.#decide(request, request.permission.options);
  }

  /**
   * Answers with the first option of the first of `kinds`; asks where two share it, or where it is not clear which request is meant.
   */
  async answerBy(kinds: readonly PermissionKind[]): Promise<void> {
    const { sessions } = this.#options;
    const all = waitingRequests(sessions);
    const shown = all.filter((request) => request.session === sessions.active);
    const candidates = shown.length > 0 ? shown : all;
    const request = candidates.length > 1 ? await pickRequest(candidates) : candidates[0];
    if (!request) {
      if (all.length === 0) void vscode.window.showInformationMessage('No request is waiting.');
      return;
    }
    const options = optionsOf(request.permission, kinds);
    const [only] = options;
    if (options.length === 1 && only) tellIfLate(answer(request, only));
    else await this.#decide(request, options.length > 0 ? options : request.permission.options);
  }

  async #decide(request: WaitingRequest, options: readonly PermissionOption[]): Promise<void> {
    const { title, detail } = requestText(request.session.state, request.permission);
    const items: Choice<PermissionOption | undefined>[] = options.map((option) => ({
      label: option.name,
      value: option,
    }));
    items.push({ label: '$(eye) Show in Chat', value: undefined });
    const chosen = await pick(items, title, detail ?? 'Choose an answer');
    if (!chosen) return;
    if (chosen.value) tellIfLate(answer(request, chosen.value));
    else await this.#options.reveal(request);
  }
}

function pickRequest(requests: readonly WaitingRequest[]): Promise<WaitingRequest | undefined>;
function pickRequest(
  requests: readonly WaitingRequest[],
  forms: readonly WaitingForm[],
): Promise<WaitingRequest | WaitingForm | undefined>;
async function pickRequest(
  requests: readonly WaitingRequest[],
  forms: readonly WaitingForm[] = [],
): Promise<WaitingRequest | WaitingForm | undefined> {
  const items: Choice<WaitingRequest | WaitingForm>[] = requests.map((request) => {
    const { agent, title, detail } = requestText(request.session.state, request.permission);
    return { label: title, description: agent, ...(detail !== undefined && { detail }), value: request };
  });
  for (const form of forms) items.push({ label: formText(form), detail: 'Show in Chat', value: form });
  return (await pick(items, 'Waiting Requests', 'Choose a request to answer'))?.value;
}

function tellIfLate(answered: boolean): void {
  if (!answered) void vscode.window.showInformationMessage(LATE);
}

/** Said when an answer comes too late to count. */
export const LATE = 'This request had already been answered or withdrawn; nothing was changed.';

function pick<T>(items: readonly Choice<T>[], title: string, placeholder: string): Promise<Choice<T> | undefined> {
  const store = new DisposableStore();
  const list = store.add(vscode.window.createQuickPick<Choice<T>>());
  Object.assign(list, { items, title, placeholder, matchOnDescription: true, matchOnDetail: true });
  const openedAt = performance.now();
  return new Promise((resolve) => {
    const finish = (chosen: Choice<T> | undefined): void => {
      resolve(chosen);
      store.dispose();
    };
    store.add(
      list.onDidAccept(() => {
        if (performance.now() - openedAt >= GUARD) finish(list.selectedItems[0]);
      }),
    );
    store.add(list.onDidHide(() => finish(undefined)));
    list.show();
  });
}
