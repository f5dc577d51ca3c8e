import { isAbsolute } from 'node:path';
import { CanceledError, ParleyError, isCancellation, errorMessage } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { PROMPT_FILE_PREFIX } from '../../shared/protocol/slashCommands';
import type { Command, PromptExpansion } from '../../shared/state/sessionState';
import { expandPrompt, promptHint } from './expandPrompt';
import type { PromptFile } from './promptFile';

export interface PromptFileSource {
  /** Absolute paths in order of precedence; empty where they must not be read. */
  list(): Promise<readonly string[]>;
  read(path: string): Promise<string>;
  /** The path for display. */
  label(path: string): string;
  /** Fires when the list or a file changed. */
  readonly onDidChange: Event<void>;
}

type LoadedPrompt =
  | { readonly name: string; readonly label: string; readonly file: PromptFile }
  | { readonly name: string; readonly label: string; readonly problem: string };

/** A folder with more files is not meant for prompts. */
const MAX_FILES = 200;

/** The user's prompt files: reloaded on changes, offered as commands, expanded in messages. */
export class PromptFileStore implements Disposable {
  readonly #onDidChange = new Emitter<void>();
  readonly #subscription: Disposable;
  #prompts: readonly LoadedPrompt[] = [];
  #round = 0;
  #reading: Promise<void> = Promise.resolve();

  readonly onDidChange: Event<void> = this.#onDidChange.event;

  constructor(
    private readonly access: PromptFileSource,
    private readonly log: Logger,
  ) {
    this.#subscription = access.onDidChange(() => this.refresh());
    this.refresh();
  }

  /** As last read, including invalid ones with their problem. */
  all(): readonly LoadedPrompt[] {
    return this.#prompts;
  }

  commands(): readonly Command[] {
    return this.#prompts.map((prompt) => {
      const { name, label } = prompt;
      if ('problem' in prompt) return { name, description: t('Cannot be used: {0}', prompt.problem) };
      const hint = promptHint(prompt.file);
      return { name, description: prompt.file.description || label, ...(hint !== undefined && { hint }) };
    });
  }

  /** Reads all files again. The last call wins. */
  refresh(): void {
    const round = ++this.#round;
    this.#reading = this.#read(round).catch((error: unknown) => {
      if (!isCancellation(error)) this.log.warn('session', `Failed to read the prompt files: ${errorMessage(error)}`);
    });
  }

  /** Settles when the latest refresh has finished. */
  async ready(): Promise<void> {
    let reading: Promise<void>;
    do {
      reading = this.#reading;
      // Repeats, because another change may come meanwhile.
      await reading;
    } while (reading !== this.#reading);
  }

  /**
   * Expands a text that begins with a prompt file's name; undefined for any other text. A command of the agent wins over a file of the same
   * name, which is then called as `/user:` and its name.
   * @throws ParleyError `badInput` when the file is invalid, or an argument is missing
   */
  expand(text: string, agentCommands: readonly Command[]): PromptExpansion | undefined {
    const [, word, typed = ''] = /^\/(\S+)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
    if (word === undefined) return undefined;
    if (agentCommands.some(({ name }) => name === word)) return undefined;
    const requested = word.startsWith(PROMPT_FILE_PREFIX) ? word.slice(PROMPT_FILE_PREFIX.length) : word;
    const prompt = this.#prompts.find(({ name }) => name === requested);
    if (!prompt) return undefined;
    if ('problem' in prompt) {
      const nextStep = t('Correct the prompt file, or write the message yourself.');
      throw new ParleyError('badInput', `${prompt.label}: ${prompt.problem}`, { nextStep });
    }
    return { name: prompt.name, label: prompt.label, path: prompt.file.path, text: expandPrompt(prompt.file, typed) };
  }

  dispose(): void {
    this.#round++;
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  async #read(round: number): Promise<void> {
    const paths = (await this.access.list()).filter((path) => isAbsolute(path));
    const used = paths.slice(0, MAX_FILES);
    if (used.length < paths.length)
      this.log.warn('session', `Used only the first ${MAX_FILES} of ${paths.length} prompt files`);
    const read = await Promise.all(used.map((path) => this.#readOne(path)));
    if (round !== this.#round) throw new CanceledError(t('The prompt files were reloaded in the meantime'));
    this.#prompts = this.#unique(read);
    this.#onDidChange.fire();
  }

  async #readOne(path: string): Promise<LoadedPrompt> {
    const label = this.access.label(path);
    // Most workspaces have no prompt files.
    const { promptName, parsePromptFile } = await import('./promptFile');
    try {
      const file = parsePromptFile(path, await this.access.read(path));
      return { name: file.name, label, file };
    } catch (error) {
      this.log.warn('session', `Failed to read prompt file ${label}: ${errorMessage(error)}`);
      return { name: promptName(path).replace(/[\s/:]+/g, '-'), label, problem: errorMessage(error) };
    }
  }

  /** The first one wins for duplicate names. */
  #unique(read: readonly LoadedPrompt[]): LoadedPrompt[] {
    const byName = new Map<string, LoadedPrompt>();
    for (const prompt of read) {
      const first = byName.get(prompt.name);
      if (!first) byName.set(prompt.name, prompt);
      else this.log.warn('session', `Skipped prompt file ${prompt.label}: ${first.label} has its name`);
    }
    return Array.from(byName.values());
  }
}
