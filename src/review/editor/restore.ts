import * as vscode from 'vscode';
import { firstLine, shorten } from '../../base/text';
import { showHiddenInLine } from '../../base/visible';
import { entryAt } from '../../shared/entries';
import type { CheckpointMark } from '../../shared/review';
import type { SessionState } from '../../shared/state';
import type { Checkpoints, RestoreChange, RestorePreview } from '../review';
import { files, offerBack, tell, tellProblems } from './told';

/** Files that the question names; VS Code shows no more than a screenful. */
const MOST_NAMED = 15;

export interface RestoreSession {
  readonly id: string;
  readonly state: SessionState;
}

interface Pick extends vscode.QuickPickItem {
  readonly entry: number;
}

/** Going back to the files as they were before a prompt, and back again. */
export class RestoreCheckpoint {
  readonly #checkpoints: Checkpoints;
  readonly #enabled: () => boolean;

  /** @param enabled `parley.checkpoints.enabled` */
  constructor(checkpoints: Checkpoints, enabled: () => boolean) {
    this.#checkpoints = checkpoints;
    this.#enabled = enabled;
  }

  /** Lets the person choose one of the session's checkpoints. */
  async choose(session: RestoreSession): Promise<void> {
    const { checkpoints } = session.state;
    if (checkpoints.length === 0) return this.#tellNone();
    const chosen = await vscode.window.showQuickPick(
      checkpoints.toReversed().map((mark) => pickOf(session.state, mark)),
      {
        title: 'Restore Checkpoint',
        placeHolder: 'Bring the files back to before which message?',
        matchOnDetail: true,
      },
    );
    if (chosen) await this.restore(session, chosen.entry);
  }

  /** Says which files would change, and brings them back when the person agrees. @param entry index of the prompt */
  async restore(session: RestoreSession, entry: number): Promise<void> {
    const preview = await this.#checkpoints.preview(session.id, entry);
    if (preview.type === 'unavailable') return tell(preview.message);
    const { changes } = preview;
    if (changes.length === 0) {
      void vscode.window.showInformationMessage('The files are as they were before this message.');
      return;
    }
    const button = changes.length === 1 ? 'Restore File' : 'Restore Files';
    const question = 'Restore the files to before this message?';
    const options = { modal: true, detail: detailOf(preview, session.state) };
    if ((await vscode.window.showWarningMessage(question, options, button)) !== button) return;
    const result = await this.#checkpoints.restore(session.id, entry);
    tellProblems(result);
    const { undoId } = result;
    if (undoId === undefined) return;
    // Not awaited: the offer stands as long as its notification does.
    const sentence = `${files(result.done.length)} restored to before the message.`;
    void offerBack(sentence, 'Undo Restore', () => this.#checkpoints.undoRestore(session.id, undoId));
  }

  async undo(session: RestoreSession, undoId: string): Promise<void> {
    tellProblems(await this.#checkpoints.undoRestore(session.id, undoId));
  }

  async #tellNone(): Promise<void> {
    if (this.#enabled()) {
      tell('This chat has no checkpoint yet: one is taken before each message.');
      return;
    }
    const open = 'Open Settings';
    const answer = await vscode.window.showWarningMessage(
      'Checkpoints are switched off (parley.checkpoints.enabled).',
      open,
    );
    if (answer === open) await vscode.commands.executeCommand('workbench.action.openSettings', 'parley.checkpoints');
  }
}

function pickOf(state: SessionState, { entry, at, coverage, leftOut }: CheckpointMark): Pick {
  const message = entryAt(state.entries, entry);
  const text = message?.kind === 'user' ? firstLine(message.text) : '';
  const label = showHiddenInLine(shorten(text || 'Message', 80)).replaceAll('$(', '$\u2060(');
  const notes = [
    coverage === 'touched' ? 'only files the agent touched through Parley (no git)' : undefined,
    leftOut > 0 ? `${files(leftOut)} left out for their size` : undefined,
  ].filter((note) => note !== undefined);
  const description = new Date(at).toLocaleString();
  return { label, description, entry, ...(notes.length > 0 && { detail: notes.join(', ') }) };
}

/** Which files change, and what the person should know first. */
function detailOf(preview: Extract<RestorePreview, { type: 'ready' }>, { turn }: SessionState): string {
  const { changes, notes } = preview;
  const named = changes.slice(0, MOST_NAMED).map(lineFor);
  if (changes.length > named.length) named.push(`and ${changes.length - named.length} more`);
  const running = turn.status === 'running' ? ['The agent is at work and may change them again.'] : [];
  return [
    `${files(changes.length)} will change:`,
    ...named,
    '',
    ...running,
    ...notes,
    'The conversation stays. You can undo the restore.',
  ].join('\n');
}

const WORDS: Readonly<Record<RestoreChange['status'], string>> = {
  created: 'comes back',
  changed: 'changes',
  deleted: 'goes away',
};

function lineFor({ label, status, unsaved }: RestoreChange): string {
  return `• ${showHiddenInLine(label)} ${WORDS[status]}${unsaved ? ', with its unsaved text' : ''}`;
}
