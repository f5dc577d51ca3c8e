import * as vscode from 'vscode';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import { asString } from '../../base/json';
import type { ExtensionInfo } from '../window';
import { changelogFragment, isNewVersion, minorOf } from './whatsNewText';

/** Memento key of the last version whose notice was shown or dismissed. */
const LAST_SHOWN_KEY = 'parley.toldVersion';

/** The notice about a new version: once per minor version, never after a first installation. */
export class WhatsNew {
  readonly #current: string | undefined;
  readonly #onDidChange = new Emitter<void>();

  readonly onDidChange: Event<void> = this.#onDidChange.event;

  constructor(private readonly extension: ExtensionInfo) {
    this.#current = minorOf(extension.version);
    if (this.#lastShown === undefined) void this.#remember();
  }

  /** The version to announce, such as `0.2`; undefined when there is none. */
  get version(): string | undefined {
    return isNewVersion(this.#current, this.#lastShown) ? this.#current : undefined;
  }

  /** Opens the changelog at this version. */
  async show(): Promise<void> {
    await this.dismiss();
    const uri = vscode.Uri.joinPath(this.extension.uri, 'CHANGELOG.md');
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    const fragment = this.#current === undefined ? undefined : changelogFragment(text, this.#current);
    const target = fragment === undefined ? uri : uri.with({ fragment });
    try {
      await vscode.commands.executeCommand('markdown.showPreview', target);
    } catch {
      // VS Code's Markdown extension is disabled.
      await vscode.window.showTextDocument(uri);
    }
  }

  /** Hides the notice for this version. */
  async dismiss(): Promise<void> {
    await this.#remember();
    this.#onDidChange.fire();
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  get #lastShown(): string | undefined {
    return asString(this.extension.memory.get(LAST_SHOWN_KEY));
  }

  async #remember(): Promise<void> {
    if (this.#lastShown === this.#current) return;
    await this.extension.memory.update(LAST_SHOWN_KEY, this.#current);
  }
}
