import { errorMessage } from '../../base/errors';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';

/** The A2A agents once they are loaded. */
interface Loaded extends Disposable {
  need(): Promise<void>;
  refresh(): Promise<void>;
}

export interface LazyAgentsOptions {
  readonly load: () => Promise<Loaded>;
  /** Whether the settings name any. */
  readonly isAny: () => boolean;
  readonly log: Logger;
}

/** Loads what A2A agents need when a session could use one, and never where the settings name none. */
export class LazyAgents implements Disposable {
  readonly #options: LazyAgentsOptions;
  #loaded: Promise<Loaded> | undefined;
  #isNeeded = false;
  #isDisposed = false;

  constructor(options: LazyAgentsOptions) {
    this.#options = options;
  }

  /** A session has an agent. */
  need(): void {
    if (this.#isNeeded) return;
    this.#isNeeded = true;
    this.look();
  }

  /** The settings may have changed. */
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
