import { homedir } from 'node:os';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { replayAgent } from '../../agent/config/agentSettings';
import type { TrafficConnection, TrafficConnections } from '../../agent/connection/trafficConnections';
import { ParleyError, errorMessage } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { plainLabel } from '../../base/untrustedText';
import { TimeSlicer } from '../../history/search/timeSlicer';
import type { RecordingHeader } from '../../shared/traffic/trafficRecording';
import { offerToOpen } from '../../workbench/offerToOpen';
import { showErrorMessage, showInformationMessage } from '../../workbench/windowMessages';
import { readWorkspaceFile } from '../../workbench/workspaceFiles';
import { inFirstFolder, localFolders } from '../../workbench/workspaceFolders';
import { writeChosenFile } from '../../workbench/writeChosenFile';
import { statusWord } from './connectionStatusText';

const FILTERS = { [t('Saved traffic')]: ['jsonl'] };
/** Maximum bytes of a file: Parley records at most 16 MiB per connection. */
const MAX_BYTES = 64 * 1024 * 1024;

/** "Save Traffic" and "Replay Traffic". */
export class TrafficFiles implements Disposable {
  readonly #replays: AgentDefinition[] = [];
  readonly #onDidAddReplay = new Emitter<string>();

  /** Fires the name of a new agent that replays a file: its chat should open. */
  readonly onDidAddReplay: Event<string> = this.#onDidAddReplay.event;

  /** @param replayScript absolute path of dist/replay.js */
  constructor(
    private readonly connections: TrafficConnections,
    private readonly header: Omit<RecordingHeader, 'agent'>,
    private readonly replayScript: string,
  ) {}

  /** The agents that replay files; they exist until the window closes. */
  definitions(): readonly AgentDefinition[] {
    return this.#replays;
  }

  isReplay(agentName: string): boolean {
    return this.#replays.some(({ name }) => name === agentName);
  }

  /** Asks for a file, and for a connection when there are several and none is given. */
  async save(connection?: TrafficConnection): Promise<void> {
    const chosen = connection ?? (await this.#choose());
    if (!chosen) return;
    const defaultUri = inFirstFolder(`${chosen.title.replaceAll(/[^\w.-]+/g, '-')}.jsonl`);
    const target = await vscode.window.showSaveDialog({
      title: t('Save Traffic'),
      filters: FILTERS,
      ...(defaultUri && { defaultUri }),
    });
    if (target) await this.saveTo(target, chosen);
  }

  async saveTo(target: vscode.Uri, connection: TrafficConnection): Promise<void> {
    try {
      await writeChosenFile(target, Buffer.from(await this.#text(connection)));
    } catch (error) {
      void showErrorMessage(t('Could not save traffic: {0}.', errorMessage(error)));
      return;
    }
    const sentence = t(
      'Saved traffic for {0}. Known secrets are redacted. Review the file before you share it.',
      connection.title,
    );
    void offerToOpen(sentence, target);
  }

  /** Asks for the file. */
  async replay(): Promise<void> {
    const [file] =
      (await vscode.window.showOpenDialog({ title: t('Replay Traffic'), filters: FILTERS, openLabel: t('Replay') })) ??
      [];
    if (file) await this.replayFile(file.fsPath);
  }

  /** Opens a new chat whose agent plays this file. An invalid file is reported with its first invalid line. */
  async replayFile(path: string): Promise<void> {
    const file = basename(path);
    try {
      const bytes = await readWorkspaceFile(vscode.Uri.file(path), MAX_BYTES);
      await checkRecording(Buffer.from(bytes).toString('utf8'));
    } catch (error) {
      const sentence = t('Could not replay {0}: {1}.', file, errorMessage(error));
      const next = ParleyError.is(error) && error.nextStep ? [error.nextStep] : [];
      void showErrorMessage([sentence, ...next].join(' '));
      return;
    }
    const name = this.#nameFor(file);
    this.#replays.push(replayAgent(name, process.execPath, this.replayScript, path));
    this.#onDidAddReplay.fire(name);
  }

  dispose(): void {
    this.#onDidAddReplay.dispose();
  }

  async #text(connection: TrafficConnection): Promise<string> {
    const { toPathPlaceholders, writeRecording } = await import('../../shared/traffic/trafficRecording');
    const places = toPathPlaceholders(localFolders(), homedir());
    return writeRecording({ ...this.header, agent: connection.title }, connection.ring.entries(), places);
  }

  /** Each replay is a separate agent, so that a file replayed again starts at its beginning. */
  #nameFor(file: string): string {
    const name = t('Replay: {0}', file);
    const same = this.#replays.filter((replay) => replay.name === name || replay.name.startsWith(`${name} (`)).length;
    return same === 0 ? name : `${name} (${same + 1})`;
  }

  async #choose(): Promise<TrafficConnection | undefined> {
    const all = this.connections.all().filter(({ ring }) => ring.size > 0);
    if (all.length === 0) {
      void showInformationMessage(t('No traffic recorded. No agent has been started in this window.'));
      return undefined;
    }
    if (all.length === 1) return all[0];
    const items = all.toReversed().map((connection) => ({
      label: plainLabel(connection.title),
      description: t('{0}, {1} messages', statusWord(connection.status), connection.ring.size),
      connection,
    }));
    const chosen = await vscode.window.showQuickPick(items, {
      title: t('Save Traffic'),
      placeHolder: t('Select a connection'),
    });
    return chosen?.connection;
  }
}

/**
 * Parses a saved file in slices: it may have millions of lines.
 * @throws ParleyError that names the first invalid line
 */
async function checkRecording(text: string): Promise<void> {
  const { recordedLines } = await import('../../shared/traffic/trafficRecording');
  const slices = new TimeSlicer();
  for (const _line of recordedLines(text)) if (slices.isDue) await slices.pause();
}
