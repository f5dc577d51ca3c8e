import * as vscode from 'vscode';
import type { SecretSource } from '../agent/config/resolveSecrets';
import { SerialQueue } from '../base/async';
import type { Event } from '../base/event';
import { t } from '../base/l10n';
import type { Redactor } from '../base/redactor';
import { secretEnvValues } from '../base/redactor';
import { escapeInvisibleInline, plainLabel } from '../base/untrustedText';
import { showInformationMessage, showInputBox } from '../workbench/windowMessages';

/** Key prefix in the secret storage. */
const PREFIX = 'agentSecret:';

/** The form of an input other than an agent's secret. */
interface SecretForm {
  readonly description?: string;
  readonly isSecret: boolean;
  readonly initial?: string;
  /** The allowed values. */
  readonly options?: readonly string[];
}

interface SecretPickItem extends vscode.QuickPickItem {
  readonly key: string;
}

/** Asks once for the secrets in agents' settings (`${input:NAME}`), and stores them in the editor's secret storage. */
export class SecretInputs implements SecretSource {
  /** One prompt at a time. */
  readonly #prompts = new SerialQueue();

  constructor(
    private readonly storage: vscode.SecretStorage,
    private readonly redactor: Redactor,
  ) {}

  /** Fires for changes by any window. */
  readonly onDidChange: Event<void> = (listener) => this.storage.onDidChange(() => listener());

  /**
   * Undefined when the user gave none.
   * @param agentName display name of the owner: an agent, an MCP server
   * @param signal closes the prompt
   */
  get(
    agentName: string,
    secretName: string,
    form: SecretForm = { isSecret: true },
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    return this.#prompts.run(async () => {
      const key = storageKey(agentName, secretName);
      const value = (await this.storage.get(key)) ?? (await this.#prompt(key, agentName, secretName, form, signal));
      if (value !== undefined && form.isSecret) this.redactor.add([value]);
      return value;
    });
  }

  /**
   * Reads a stored value that is not an input, such as a sign-in.
   * @param owner display name of the owner
   */
  async read(owner: string, name: string): Promise<string | undefined> {
    return this.storage.get(storageKey(owner, name));
  }

  /** @param value undefined deletes it */
  async write(owner: string, name: string, value: string | undefined): Promise<void> {
    const key = storageKey(owner, name);
    await (value === undefined ? this.storage.delete(key) : this.storage.store(key, value));
  }

  /** Redacts the secrets among variables or headers from logs and traffic. */
  hide(values: Readonly<Record<string, string>>): void {
    this.redactor.add(secretEnvValues(values));
  }

  /** Lets the user select stored secrets to delete; agents ask again at their next start. */
  async deleteSelected(): Promise<void> {
    const storage = this.storage;
    const keys = await storage.keys();
    const items = keys.flatMap((key) => toPickItem(key) ?? []);
    if (items.length === 0) {
      void showInformationMessage(t('No secrets are stored.'));
      return;
    }
    const chosen = await vscode.window.showQuickPick(items, {
      title: t('Forget Secrets'),
      placeHolder: t('Select the secrets to forget. You are asked for them again when the agent next starts'),
      canPickMany: true,
    });
    for (const { key } of chosen ?? []) await storage.delete(key);
  }

  async #prompt(
    key: string,
    agentName: string,
    secretName: string,
    form: SecretForm,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    if (signal?.aborted) return undefined;
    const { isSecret, description, initial, options } = form;
    const owner = escapeInvisibleInline(agentName);
    const title = isSecret ? t('Secret for {0}', owner) : t('Input for {0}', owner);
    const name = `“${escapeInvisibleInline(secretName)}”`;
    const what = description === undefined ? name : `${escapeInvisibleInline(description)} (${name})`;
    const prompt = t('Value for {0}. Stored in the editor’s secret storage, never in a file.', what);
    const closing = new vscode.CancellationTokenSource();
    const abort = (): void => closing.cancel();
    signal?.addEventListener('abort', abort, { once: true });
    const shown = { title, ignoreFocusOut: true };
    const rows = options?.map((option) => ({ label: plainLabel(option), option }));
    const value = await (rows
      ? vscode.window.showQuickPick(rows, { ...shown, placeHolder: prompt }, closing.token).then((row) => row?.option)
      : showInputBox(
          { ...shown, prompt, password: isSecret, ...(initial !== undefined && { value: initial }) },
          closing.token,
        ));
    signal?.removeEventListener('abort', abort);
    closing.dispose();
    if (value === undefined || value === '') return undefined;
    await this.storage.store(key, value);
    return value;
  }
}

function storageKey(owner: string, name: string): string {
  return PREFIX + JSON.stringify([owner, name]);
}

/** Undefined for a key that is not of a secret. */
function toPickItem(key: string): SecretPickItem | undefined {
  if (!key.startsWith(PREFIX)) return undefined;
  const [agent, secret] = JSON.parse(key.slice(PREFIX.length)) as [string, string];
  return { label: plainLabel(secret), description: plainLabel(agent), key };
}
