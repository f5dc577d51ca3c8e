import { errorMessage } from '../../base/errors';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { BuiltInServers } from './builtInServers';

/** Reserved for built-in servers, also before they are loaded. */
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
  /** Loads the code of the servers and registers them. */
  readonly load: () => Promise<BuiltInServers>;
  readonly log: Logger;
}

/** The built-in servers, in a chunk that is loaded when a session or the user first needs them. */
export class LazyBuiltIns implements Disposable {
  readonly #options: LazyBuiltInsOptions;
  #loading: Promise<BuiltInServers | undefined> | undefined;
  #loaded: BuiltInServers | undefined;
  #isDisposed = false;
  #isOver = false;

  constructor(options: LazyBuiltInsOptions) {
    this.#options = options;
  }

  /** Whether no more servers will be added. */
  get isLoaded(): boolean {
    return this.#isOver;
  }

  /** Never rejects; undefined after disposal or a failure, which is logged. */
  load(): Promise<BuiltInServers | undefined> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  changesChanged(): void {
    this.#loaded?.changesChanged();
  }

  /** Called at the start of a turn; sessions with tools have loaded the servers by then. */
  turnStarted(sessionId: string): void {
    this.#loaded?.turnStarted(sessionId);
  }

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
