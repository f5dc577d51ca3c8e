import { isAbsolute } from 'node:path';
import { CanceledError, ParleyError, isCancellation, errorMessage } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { Command, PromptExpansion } from '../../shared/state/sessionState';
import { PROMPT_FILE_PREFIX } from '../../shared/protocol/slashCommands';
import type { PromptFile } from './promptFile';
import { promptName, parsePromptFile } from './promptFile';
import { expandPrompt, promptHint } from './expandPrompt';

/** Where prompt files come from; VS Code's files in the product. */
export interface PromptFileSource {
  /** Absolute paths of all prompt files, in the order in which they count; none where they must not be read. */
  list(): Promise<readonly string[]>;
  read(path: string): Promise<string>;
  /** A path as people read it. */
  label(path: string): string;
  /** The list, or one of the files, is different. */
  readonly onDidChange: Event<void>;
}

/** A prompt file that can be used, or what is wrong with it. */
export type LoadedPrompt =
  | { readonly name: string; readonly label: string; readonly file: PromptFile }
  | { readonly name: string; readonly label: string; readonly problem: string };

/** More files than a user can choose from are a folder of something else. */
const MAX_FILES = 200;

/** The user's prompt files: read anew whenever one changes, offered as commands, put in place of their names. */
export class PromptFileStore implements Disposable {
  readonly #access: PromptFileSource;
  readonly #log: Logger;
  readonly #changed = new Emitter<void>();
  readonly #subscription: Disposable;
  #known: readonly LoadedPrompt[] = [];
  #round = 0;
  #reading: Promise<void> = Promise.resolve();

  /** What {@link all} gives is different. */
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(access: PromptFileSource, log: Logger) {
    this.#access = access;
    this.#log = log;
    this.#subscription = access.onDidChange(() => this.refresh());
    this.refresh();
  }

  /** As last read; those that cannot be used are among them, so that nobody has to look for their file. */
  all(): readonly LoadedPrompt[] {
    return this.#known;
  }

  /** As commands for the completion. */
  commands(): readonly Command[] {
    return this.#known.map((prompt) => {
      const { name, label } = prompt;
      if ('problem' in prompt) return { name, description: t('Cannot be used: {0}', prompt.problem) };
      const hint = promptHint(prompt.file);
      return { name, description: prompt.file.description || label, ...(hint !== undefined && { hint }) };
    });
  }

  /** Reads all files again. The last call counts. */
  refresh(): void {
    const round = ++this.#round;
    this.#reading = this.#read(round).catch((error: unknown) => {
      if (!isCancellation(error))
        this.#log.warn('session', `The prompt files could not be read: ${errorMessage(error)}`);
    });
  }

  /** Settles when what was asked for last has been read. */
  async ready(): Promise<void> {
    let reading: Promise<void>;
    do {
      reading = this.#reading;
      // oxlint-disable-next-line no-await-in-loop -- another change may come meanwhile
      await reading;
    } while (reading !== this.#reading);
  }

  /**
   * What a text stands for that begins with the name of a prompt file; undefined for any other text. A command of the agent counts
   * more than a file of the same name, which then is called by `/user:` and its name.
   * @throws ParleyError `badInput` when the file cannot be used, or an argument is missing
   */
  expand(text: string, agentCommands: readonly Command[]): PromptExpansion | undefined {
    const [, word, typed = ''] = /^\/(\S+)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
    if (word === undefined) return undefined;
    if (agentCommands.some(({ name }) => name === word)) return undefined;
    const wanted = word.startsWith(PROMPT_FILE_PREFIX) ? word.slice(PROMPT_FILE_PREFIX.length) : word;
    const prompt = this.#known.find(({ name }) => name === wanted);
    if (!prompt) return undefined;
    if ('problem' in prompt) {
      const nextStep = t('Correct the file, or write what you want in words.');
      throw new ParleyError('badInput', `${prompt.label}: ${prompt.problem}`, { nextStep });
    }
    return { name: prompt.name, label: prompt.label, path: prompt.file.path, text: expandPrompt(prompt.file, typed) };
  }

  dispose(): void {
    this.#round++;
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  async #read(round: number): Promise<void> {
    const paths = (await this.#access.list()).filter((path) => isAbsolute(path));
    const used = paths.slice(0, MAX_FILES);
    if (used.length < paths.length)
      this.#log.warn('session', `Of ${paths.length} prompt files only the first ${MAX_FILES} are used`);
    const read = await Promise.all(used.map((path) => this.#readOne(path)));
    if (round !== this.#round) throw new CanceledError(t('Read again meanwhile'));
    this.#known = this.#unique(read);
    this.#changed.fire();
  }

  async #readOne(path: string): Promise<LoadedPrompt> {
    const label = this.#access.label(path);
    try {
      const file = parsePromptFile(path, await this.#access.read(path));
      return { name: file.name, label, file };
    } catch (error) {
      this.#log.warn('session', `Prompt file ${label}: ${errorMessage(error)}`);
      return { name: promptName(path).replace(/[\s/:]+/g, '-'), label, problem: errorMessage(error) };
    }
  }

  /** Of two files of one name the first counts. */
  #unique(read: readonly LoadedPrompt[]): LoadedPrompt[] {
    const known = new Map<string, LoadedPrompt>();
    for (const prompt of read) {
      const first = known.get(prompt.name);
      if (!first) known.set(prompt.name, prompt);
      else this.#log.warn('session', `Prompt file ${prompt.label} is not used: ${first.label} has its name`);
    }
    return Array.from(known.values());
  }
}
