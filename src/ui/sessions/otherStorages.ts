import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { listTranscripts } from '../../history/transcriptFile';
import { isThere } from '../../node/fs/readIfThere';
import { showInformationMessage, showWarningMessage } from '../../workbench/windowMessages';

/** The storages that VS Code has for one folder: the usual one, and those of further windows, whose names end with a number. */
interface OtherStorages {
  /** Whether this window has one of the further ones. */
  readonly isFurther: boolean;
  /** Number of conversations in the further ones, unless this window has one. */
  readonly conversations: number;
  /** When the last of them was written, in milliseconds since 1970. */
  readonly newest: number;
}

const KEY = 'parley.otherStorages';

/**
 * Says that this window does not show what another window with the same folder has stored: VS Code gives the second window another storage,
 * also if the first one did not end properly.
 * @param storage absolute folder of this window's data
 * @param memory has what was said before
 */
export async function reportOtherStorages(storage: string, memory: vscode.Memento): Promise<void> {
  const { isFurther, conversations, newest } = await otherStorages(storage);
  if (isFurther) return showSeparate();
  if (conversations === 0 || newest <= memory.get<number>(KEY, 0)) return;
  await memory.update(KEY, newest);
  void showInformationMessage(
    t(
      '{0} conversations are in the storage of a second window with this folder, and not in the list here. Open the folder in another window to see them.',
      conversations,
    ),
  );
}

async function showSeparate(): Promise<void> {
  const reload = t('Reload Window');
  const answer = await showWarningMessage(
    t(
      'This window has a storage of its own, because another window has the folder open or did not end properly. Neither window shows the conversations, changes and checkpoints of the other. Close the other window, then reload this one.',
    ),
    reload,
  );
  if (answer === reload) await vscode.commands.executeCommand('workbench.action.reloadWindow');
}

/** @param storage `<id>/<extension>`, or `<id>-<number>/<extension>` of a further window */
export async function otherStorages(storage: string): Promise<OtherStorages> {
  const [own, extension] = [dirname(storage), basename(storage)];
  const [all, id] = [dirname(own), basename(own)];
  const usual = /^(.+)-[1-9]$/.exec(id)?.[1];
  if (usual !== undefined && (await isThere(join(all, usual)).catch(() => false)))
    return { isFurther: true, conversations: 0, newest: 0 };
  const names = (await readdir(all).catch(() => [])).filter((name) => /^-[1-9]$/.test(name.slice(id.length)));
  const folders = names.filter((name) => name.startsWith(id)).map((name) => join(all, name, extension, 'sessions'));
  const files = (await Promise.all(folders.map((folder) => listTranscripts(folder).catch(() => [])))).flat();
  return { isFurther: false, conversations: files.length, newest: Math.max(0, ...files.map(({ at }) => at)) };
}
