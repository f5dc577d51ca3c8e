import { createHash } from 'node:crypto';
import * as vscode from 'vscode';

/** Where the registry's address comes from: `workspace` is what the opened folder wants instead of the person's own. */
export interface RegistrySetting {
  readonly own: string;
  readonly workspace?: string;
}

/** `vscode.Memento` of the workspace. */
interface WorkspaceMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = 'parley.registryAddress';

/** The address of the registry. One that a workspace defines counts only after the person allowed exactly this one (security: config rug pull). */
export class RegistryAddress {
  readonly #setting: () => RegistrySetting;
  readonly #memory: WorkspaceMemory;

  constructor(setting: () => RegistrySetting, memory: WorkspaceMemory) {
    this.#setting = setting;
    this.#memory = memory;
  }

  /** The address to load from now. */
  get url(): string {
    const { own, workspace } = this.#setting();
    return workspace !== undefined && this.#decision(workspace) === 'allowed' ? workspace : own;
  }

  /** Asks about the workspace's address if that was not decided yet. Undefined when the person closed the question. */
  async decide(): Promise<string | undefined> {
    const { own, workspace } = this.#setting();
    if (workspace === undefined || workspace === own || this.#decision(workspace) !== undefined) return this.url;
    const message = 'This workspace wants the list of agents to come from another address.';
    const detail = `Of the workspace: ${workspace}\nYours: ${own}\n\nThe list decides which programs are offered to you.`;
    const [theirs, mine] = ["Use the Workspace's", 'Use Mine'];
    const answer = await vscode.window.showWarningMessage(message, { modal: true, detail }, theirs, mine);
    if (answer === undefined) return undefined;
    await this.#memory.update(KEY, { hash: hashOf(workspace), decision: answer === theirs ? 'allowed' : 'refused' });
    return this.url;
  }

  #decision(workspace: string): unknown {
    const kept = this.#memory.get(KEY) as { hash?: unknown; decision?: unknown } | undefined;
    return kept?.hash === hashOf(workspace) ? kept.decision : undefined;
  }
}

function hashOf(address: string): string {
  return createHash('sha256').update(address).digest('hex');
}
