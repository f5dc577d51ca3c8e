import { allScopeValues } from '../../base/settingScopes';
import { Lazy } from '../../base/lazy';
import type { DisposableStore } from '../../base/lifecycle';
import { firstLine } from '../../base/text';
import type { Attachment } from '../../shared/protocol/attachments';
import type { SessionState } from '../../shared/state/sessionState';
import { entryAt } from '../../shared/state/entryPages';
import { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import type { AttachmentService } from '../attachments/attachmentService';
import type { ChatPages } from '../chat/chatPages';
import type { UiDeps } from '../uiDeps';
import type { IntentSource, UiSession } from '../uiTypes';
import type { Worktrees } from '../../worktrees/worktrees';
import type { WorktreeCommands } from './worktreeCommands';
import type { WorktreeSetup } from './worktreeSetup';

/** The worktrees of the UI. */
export interface WorktreeUi {
  newChatInWorktree(target?: unknown): Promise<void>;
  discard(target?: unknown): Promise<void>;
  openInNewWindow(target?: unknown): Promise<void>;
  /** Sends a draft in a new worktree. */
  send(from: IntentSource, text: string, attachments: readonly Attachment[]): Promise<void>;
  /** Settles when the agent may start: names the branch after the first message, and waits for the setup. Never rejects. */
  beforePrompt(session: Pick<UiSession, 'cwd' | 'state' | 'dispatch'>, entry: number): Promise<void>;
}

/** Loads the code of the commands on first use. */
export function registerWorktrees(
  options: UiDeps,
  store: DisposableStore,
  chat: () => ChatPages,
  attaching: Pick<AttachmentService, 'read'>,
): WorktreeUi {
  const parts = new Lazy(() => load(options, store, chat(), attaching));
  const commands = async (): Promise<WorktreeCommands> => (await parts.load()).commands;
  return {
    newChatInWorktree: async (target) => (await commands()).newChatInWorktree(target),
    discard: async (target) => (await commands()).discard(target),
    openInNewWindow: async (target) => (await commands()).openInNewWindow(target),
    send: async (...draft) => (await commands()).send(...draft),
    beforePrompt: async (session, entry) => {
      if (entry === 0) await renameBranch(options.worktrees, session);
      await parts.value?.setup.ready(session.cwd);
    },
  };
}

async function load(
  { worktrees, sessions, approvals, worktreeSettings, log }: UiDeps,
  store: DisposableStore,
  chat: ChatPages,
  attaching: Pick<AttachmentService, 'read'>,
): Promise<{ readonly commands: WorktreeCommands; readonly setup: WorktreeSetup }> {
  const [{ WorktreeCommands }, { WorktreeSetup }, { runSetupTask }] = await Promise.all([
    import('./worktreeCommands'),
    import('./worktreeSetup'),
    import('./runSetupTask'),
  ]);
  const setup = new WorktreeSetup({
    commands: () => worktreeSettings('setup'),
    approvals,
    documents: store.add(new ReadOnlyDocuments('parley-worktree')),
    log,
    run: runSetupTask,
    report: (text) => chat.notices.show({ text, isWarning: true }),
  });
  const include = (): readonly string[] => allScopeValues(worktreeSettings('include')).flat();
  const read: AttachmentService['read'] = (session, attachments) => attaching.read(session, attachments);
  return { setup, commands: new WorktreeCommands({ worktrees, sessions, setup, include, read, chat }) };
}

/** Names the branch after the first message. */
async function renameBranch(
  worktrees: Worktrees,
  session: Pick<UiSession, 'cwd' | 'state' | 'dispatch'>,
): Promise<void> {
  const record = worktrees.around(session.cwd);
  if (!record) return;
  await worktrees.renameBranch(record.id, promptText(session.state, 0));
  const branch = worktrees.get(record.id)?.branch;
  if (branch !== undefined && branch !== session.state.branch) session.dispatch({ type: 'branchRenamed', branch });
}

function promptText({ entries }: SessionState, entry: number): string {
  const prompt = entryAt(entries, entry);
  return prompt?.kind === 'user' ? firstLine(prompt.text) : '';
}
