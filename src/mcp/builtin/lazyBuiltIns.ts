import { errorMessage } from '../../base/errors';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { BuiltInServers } from './builtInServers';

/** Names of the servers that come with Parley: nobody else gets them, also while those are not loaded. */
export const BUILT_IN_NAMES: ReadonlySet<string> = new Set([
  'problems',
  'code',
  'refactor',
  'editor',
  'tests',
  'user',
  'tasks',
  'debugger',
  'notebook',
  'ide',
]);

export interface LazyBuiltInsOptions {
  /** Reads the code of the servers and registers them. */
  readonly load: () => Promise<BuiltInServers>;
  readonly log: Logger;
}

/** The servers that come with Parley, in a file of their own that is read when a session or the user first wants them. */
export class LazyBuiltIns implements Disposable {
  readonly #options: LazyBuiltInsOptions;
  #loading: Promise<BuiltInServers | undefined> | undefined;
  #loaded: BuiltInServers | undefined;
  #isDisposed = false;
  #isOver = false;

  constructor(options: LazyBuiltInsOptions) {
    this.#options = options;
  }

  /** Nothing more is to come. */
  get isLoaded(): boolean {
    return this.#isOver;
  }

  /** Never rejects; undefined when they cannot be loaded, which is logged, or are not wanted any more. */
  load(): Promise<BuiltInServers | undefined> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** What there is to review in a session has changed. */
  changesChanged(): void {
    this.#loaded?.changesChanged();
  }

  /** A turn begins; a session whose agent has tools has loaded them before. */
  turnStarted(sessionId: string): void {
    this.#loaded?.turnStarted(sessionId);
  }

  /** The session is closed. */
  forget(sessionId: string): void {
    this.#loaded?.forget(sessionId);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#loaded?.dispose();
  }

  async #load(): Promise<BuiltInServers | undefined> {
    try {
      const loaded = await this.#options.load();
      if (this.#isDisposed) loaded.dispose();
      else this.#loaded = loaded;
    } catch (error) {
      this.#options.log.error('mcp', `The tool servers of Parley cannot be loaded: ${errorMessage(error)}`);
    }
    this.#isOver = true;
    return this.#loaded;
  }
}
