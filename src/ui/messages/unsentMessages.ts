import { randomUUID } from 'node:crypto';
import { asArray, asNumber, asObject, asString } from '../../base/json';
import type { Memento } from '../../base/memento';
import { tryParse } from '../../base/schema';
import { isOtherWindow, windowName } from '../../node/process/processStart';
import type { DraftState } from '../../shared/protocol/chatPageProtocol';
import { attachmentContent } from '../../shared/state/attachments';
import type { Attachment } from '../../shared/state/attachments';
import { attachments } from './attachmentSchema';

/** Key prefix: one value per message. */
const PREFIX = 'parley.sending.';
/** UTF-16 units of attached content that is stored; a page keeps more in its own memory. */
const MAX_CONTENT = 50_000;

/** Persistent storage, such as `vscode.Memento`. */
export interface DraftMemory extends Memento {
  keys(): readonly string[];
}

/** Messages that have left the message box, and that no session has yet: they wait for an answer of the user, a file or a worktree. */
export class UnsentMessages {
  constructor(private readonly memory: DraftMemory) {}

  /** Stores a message while it is prepared: if the window ends meanwhile, the next one puts it back into the box. */
  async keep<T>(
    { id }: { readonly id: string },
    text: string,
    attached: readonly Attachment[],
    prepare: () => Promise<T>,
  ): Promise<T> {
    const key = PREFIX + randomUUID();
    const stored = { session: id, by: windowName(), ...toStoredDraft({ text, at: Date.now(), attached }) };
    void this.memory.update(key, stored);
    try {
      const prepared = await prepare();
      void this.memory.update(key, undefined);
      return prepared;
    } catch (error) {
      // VS Code cancels questions when it ends: the page may not get the message back.
      void this.memory.update(key, { ...stored, isRefused: true });
      throw error;
    }
  }
}

/** Forgets the messages of a session that its page has got back. */
export function forgetRefused(memory: DraftMemory, session: string): void {
  for (const key of memory.keys()) {
    const stored = key.startsWith(PREFIX) ? asObject(memory.get(key)) : undefined;
    if (stored?.['session'] === session && stored['isRefused'] === true) void memory.update(key, undefined);
  }
}

/** The messages that an earlier window had not sent, oldest first. They are no longer stored. Another window may still send its own. */
export function takeUnsentMessages(memory: DraftMemory): readonly { session: string; draft: DraftState }[] {
  const found = memory.keys().flatMap((key) => {
    if (!key.startsWith(PREFIX)) return [];
    const stored = memory.get(key);
    const [session, by] = ['session', 'by'].map((name) => asString(asObject(stored)?.[name]));
    const draft = readStoredDraft(stored);
    if (by !== undefined && isOtherWindow(by, draft?.at ?? 0)) return [];
    void memory.update(key, undefined);
    return session === undefined || !draft ? [] : { session, draft };
  });
  return found.toSorted((a, b) => a.draft.at - b.draft.at);
}

/** A draft without more attached content than is stored. */
export function toStoredDraft(draft: DraftState): DraftState {
  const size = draft.attached.reduce((sum, one) => sum + attachmentContent(one).length, 0);
  return size > MAX_CONTENT ? { ...draft, attached: draft.attached.filter(isLight) } : draft;
}

/** Undefined for what is no draft. */
export function readStoredDraft(stored: unknown): DraftState | undefined {
  const fields = asObject(stored);
  const [text, at] = [asString(fields?.['text']), asNumber(fields?.['at'])];
  if (text === undefined || at === undefined) return undefined;
  return { text, at, attached: asArray(fields?.['attached']).flatMap(readAttachment) };
}

function isLight(attachment: Attachment): boolean {
  return attachmentContent(attachment) === '';
}

/** None for what a later version has stored. */
function readAttachment(stored: unknown): readonly Attachment[] {
  const read = tryParse(attachments, [stored]);
  return 'value' in read ? read.value : [];
}
