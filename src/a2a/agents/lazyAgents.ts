import { errorMessage } from '../../base/errors';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';

/** The A2A agents after their code is loaded. */
interface Loaded extends Disposable {
  need(): Promise<void>;
  refresh(): Promise<void>;
}

export interface LazyAgentsOptions {
  readonly load: () => Promise<Loaded>;
  /** Whether the settings name any agents. */
  readonly isAny: () => boolean;
  readonly log: Logger;
}

/** Loads the code for A2A agents when a session could use one; never when the settings name none. */
export class LazyAgents implements Disposable {
  readonly #options: LazyAgentsOptions;
  #loaded: Promise<Loaded> | undefined;
  #isNeeded = false;
  #isDisposed = false;

  constructor(options: LazyAgentsOptions) {
    this.#options = options;
  }

  /** Called when a session has an agent. */
  need(): void {
    if (this.#isNeeded) return;
    this.#isNeeded = true;
    this.look();
  }

  /** Called after a possible change of settings. */
  look(): void {
    const { isAny, log } = this.#options;
    if (!this.#isNeeded || this.#isDisposed || (!this.#loaded && !isAny())) return;
    this.#look().catch((error: unknown) => log.error('mcp', `A2A agents: ${errorMessage(error)}`));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#loaded?.then(
      (loaded) => loaded.dispose(),
      () => undefined,
    );
  }

  async #look(): Promise<void> {
    const isFirst = !this.#loaded;
    this.#loaded ??= this.#options.load();
    const loaded = await this.#loaded;
    if (this.#isDisposed) return;
    await (isFirst ? loaded.need() : loaded.refresh());
  }
}
