/** The text of a file as the agent last read or wrote it. */
interface LastSeenContent {
  readonly text: string;
  /** The user has edited the file since, so the next write must be merged. */
  readonly isEdited: boolean;
}

/** UTF-16 units over all files. */
const MAX_LENGTH = 16 * 1024 * 1024;
/** Larger files are not stored: their unsaved edits are compared with the file on disk. */
const MAX_TEXT = 4 * 1024 * 1024;

/** The last text an agent saw per session and file, the base of the three-way merge. Bounded, least recently used first. */
export class LastSeenContents {
  readonly #sessions = new Map<string, Map<string, LastSeenContent>>();
  /** Oldest first. */
  readonly #order = new Map<string, { session: string; path: string; length: number }>();
  #length = 0;

  get(session: string, path: string): LastSeenContent | undefined {
    return this.#sessions.get(session)?.get(path);
  }

  set(session: string, path: string, content: LastSeenContent): void {
    this.#drop(session, path);
    if (content.text.length > MAX_TEXT) return;
    const texts = this.#sessions.get(session) ?? new Map<string, LastSeenContent>();
    this.#sessions.set(session, texts.set(path, content));
    this.#order.set(keyOf(session, path), { session, path, length: content.text.length });
    this.#length += content.text.length;
    while (this.#length > MAX_LENGTH) this.#dropOldest();
  }

  /** The user edited the file: all sessions now know an older text. */
  markEdited(path: string): void {
    for (const texts of this.#sessions.values()) {
      const content = texts.get(path);
      if (content && !content.isEdited) texts.set(path, { ...content, isEdited: true });
    }
  }

  forgetSession(session: string): void {
    for (const path of this.#sessions.get(session)?.keys() ?? []) this.#drop(session, path);
    this.#sessions.delete(session);
  }

  #dropOldest(): void {
    const oldest = this.#order.values().next().value;
    if (oldest) this.#drop(oldest.session, oldest.path);
  }

  #drop(session: string, path: string): void {
    const entry = this.#order.get(keyOf(session, path));
    if (!entry) return;
    this.#order.delete(keyOf(session, path));
    this.#sessions.get(session)?.delete(path);
    this.#length -= entry.length;
  }
}

function keyOf(session: string, path: string): string {
  return `${session}\0${path}`;
}
