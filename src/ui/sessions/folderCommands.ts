import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import { isInFolders, requireWorkspaceFolder } from '../../session/sessionFolder';
import type { Sessions } from '../../session/sessions';
import type { PageFolders } from '../../shared/protocol/chatPageProtocol';
import { folderLabel } from '../../shared/text/folderLabel';
import type { WorkspaceRoot } from '../../shared/text/folderLabel';
import { activeFolder, localFolders, localWorkspaceFolders } from '../../workbench/workspaceFolders';
import type { WorkspaceFileIndex } from '../attachments/workspaceFileIndex';
import { withErrorMessage } from '../reportErrors';
import type { Chat, IntentSource } from '../window';

/** The folders of sessions: New Chat Here, and the choice in the page. */
export class FolderCommands implements Disposable {
  readonly #workspace = vscode.workspace.onDidChangeWorkspaceFolders(() => this.#resetRemovedFolders());

  constructor(
    private readonly sessions: Sessions,
    private readonly paths: WorkspaceFileIndex,
    private readonly chat: Chat,
  ) {}

  /** @param target the folder of the Explorer; without it the user selects one */
  newChatHere(target?: unknown): Promise<void> {
    return withErrorMessage(async () => {
      const folder = target instanceof vscode.Uri ? diskPath(target) : await this.#pick(undefined);
      if (folder === undefined) return;
      const found = await requireWorkspaceFolder(folder, localFolders());
      const session = this.sessions.newChat();
      session.setFolder(found);
      void session.warmStart.start();
      await this.chat.focus();
    });
  }

  /**
   * @param folder from a page, so not trusted; without it the user selects one
   * @throws ParleyError
   */
  async choose({ session, page }: IntentSource, folder: string | undefined): Promise<void> {
    const chosen = folder ?? (await this.#pick(session.cwd));
    if (chosen === undefined) return page.reveal();
    const found = await requireWorkspaceFolder(chosen, localFolders());
    const isStarted = session.state.entries.count > 0;
    if (isStarted && (await isUsable(session))) {
      throw new ParleyError('conflict', t('The folder of a session cannot be changed after the first message'), {
        nextStep: t('Use “New Chat Here” in the Explorer.'),
      });
    }
    session.setFolder(found);
    if (!isStarted) return;
    const text = t(
      'This session now works in {0}. The agent gets the conversation with your next message.',
      folderLabel(found, workspaceRoots()),
    );
    page.showNotice({ text }, session);
  }

  dispose(): void {
    this.#workspace.dispose();
  }

  /** New chats in a folder that has left the workspace use the default folder again. */
  #resetRemovedFolders(): void {
    for (const session of this.sessions.allOpen()) {
      const { entries, folder, branch } = session.state;
      if (entries.count === 0 && branch === undefined && folder !== undefined && !isInFolders(folder, localFolders()))
        session.setFolder(undefined);
    }
  }

  async #pick(current: string | undefined): Promise<string | undefined> {
    const { pickFolder } = await import('./folderPicker');
    return pickFolder(workspaceRoots(), await this.paths.index(), current);
  }
}

export function workspaceRoots(): readonly WorkspaceRoot[] {
  return localWorkspaceFolders().map(({ name, uri }) => ({ name, path: uri.fsPath }));
}

/** Undefined without a folder on disk. */
export function pageFolders(): PageFolders | undefined {
  const roots = workspaceRoots();
  const initial = activeFolder() ?? roots[0]?.path;
  return initial === undefined ? undefined : { roots, initial };
}

async function isUsable({ cwd, folders }: Session): Promise<boolean> {
  const found = await stat(cwd).catch(() => undefined);
  return found?.isDirectory() === true && isInFolders(cwd, folders);
}

/** @throws ParleyError for a folder that is not on disk */
function diskPath(uri: vscode.Uri): string {
  if (uri.scheme === 'file') return uri.fsPath;
  throw new ParleyError(
    'badInput',
    t('{0} is not on this computer’s disk. Agents work only with files on disk.', uri.path),
  );
}
