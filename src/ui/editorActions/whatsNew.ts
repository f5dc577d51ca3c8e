import * as vscode from 'vscode';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import { changelogFragment, isNewVersion, minorOf } from './whatsNewText';

export interface NewsOptions {
  /** Of this extension. */
  readonly version: string;
  readonly extensionUri: vscode.Uri;
  /** What all windows share. */
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
}

/** The version whose news the user has seen or did not want to see. */
const TOLD_KEY = 'parley.toldVersion';

/** The line about a new version: once for each minor version, never after a first installation. */
export class WhatsNew {
  readonly #options: NewsOptions;
  readonly #current: string | undefined;
  readonly #changed = new Emitter<void>();

  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(options: NewsOptions) {
    this.#options = options;
    this.#current = minorOf(options.version);
    if (this.#told === undefined) void this.#remember();
  }

  /** The version to tell about, such as `0.2`; undefined when there is nothing to tell. */
  get version(): string | undefined {
    return isNewVersion(this.#current, this.#told) ? this.#current : undefined;
  }

  /** Opens the changelog where this version begins. */
  async show(): Promise<void> {
    await this.dismiss();
    const uri = vscode.Uri.joinPath(this.#options.extensionUri, 'CHANGELOG.md');
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    const fragment = this.#current === undefined ? undefined : changelogFragment(text, this.#current);
    const place = fragment === undefined ? uri : uri.with({ fragment });
    try {
      await vscode.commands.executeCommand('markdown.showPreview', place);
    } catch {
      // VS Code's Markdown extension is switched off.
      await vscode.window.showTextDocument(uri);
    }
  }

  /** The line is not shown again for this version. */
  async dismiss(): Promise<void> {
    await this.#remember();
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }

  get #told(): string | undefined {
    return this.#options.memory.get<string>(TOLD_KEY);
  }

  async #remember(): Promise<void> {
    if (this.#told === this.#current) return;
    await this.#options.memory.update(TOLD_KEY, this.#current);
  }
}
