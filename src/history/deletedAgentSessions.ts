import { t } from '../base/l10n';
import { SharedJsonFile } from '../node/fs/sharedJsonFile';

const MAX_DELETED = 1_000;

/** Sessions of agents whose session here was deleted: an agent may still list them. All windows share the file. */
export class DeletedAgentSessions {
  readonly #file: SharedJsonFile<readonly unknown[]>;
  readonly #keys = new Set<string>();
  #isWritten = true;

  /** @param file absolute; created on first use */
  constructor(file: string) {
    this.#file = new SharedJsonFile(
      file,
      (json) => (Array.isArray(json) ? json : undefined),
      t('which sessions of agents you have deleted'),
    );
  }

  /** False while an addition was not written. */
  get isWritten(): boolean {
    return this.#isWritten;
  }

  has(agentName: string, agentSessionId: string): boolean {
    return this.#keys.has(keyOf(agentName, agentSessionId));
  }

  add(agentName: string, agentSessionId: string): void {
    this.#keys.add(keyOf(agentName, agentSessionId));
    this.#isWritten = false;
  }

  /** @throws system errors */
  async write(): Promise<void> {
    await this.#file.change((there) => {
      // Deletions of other windows come before those of this window.
      const ours = Array.from(this.#keys);
      this.#keys.clear();
      this.#addAll([...(there ?? []), ...ours]);
      return Array.from(this.#keys).slice(-MAX_DELETED);
    });
    this.#isWritten = true;
  }

  /** Never rejects. */
  async read(): Promise<void> {
    this.#addAll((await this.#file.read().catch(() => undefined)) ?? []);
  }

  #addAll(keys: readonly unknown[]): void {
    for (const key of keys) if (typeof key === 'string') this.#keys.add(key);
  }
}

function keyOf(agentName: string, agentSessionId: string): string {
  return JSON.stringify([agentName, agentSessionId]);
}
