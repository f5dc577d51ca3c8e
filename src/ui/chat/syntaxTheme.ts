import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors';
import { asString, isObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { TokenColors, TokenRule } from './tokenColorRules';

/** Nesting depth of `include` in themes. */
const MAX_INCLUDES = 5;

/** Values of `uiTheme` in `contributes.themes`. */
const UI_THEMES: Readonly<Record<vscode.ColorThemeKind, string>> = {
  [vscode.ColorThemeKind.Light]: 'vs',
  [vscode.ColorThemeKind.Dark]: 'vs-dark',
  [vscode.ColorThemeKind.HighContrast]: 'hc-black',
  [vscode.ColorThemeKind.HighContrastLight]: 'hc-light',
};

/** The settings used when VS Code follows the operating system. */
const PREFERRED: Readonly<Record<vscode.ColorThemeKind, string>> = {
  [vscode.ColorThemeKind.Light]: 'preferredLightColorTheme',
  [vscode.ColorThemeKind.Dark]: 'preferredDarkColorTheme',
  [vscode.ColorThemeKind.HighContrast]: 'preferredHighContrastColorTheme',
  [vscode.ColorThemeKind.HighContrastLight]: 'preferredHighContrastLightColorTheme',
};

/**
 * Syntax colors of the user's theme. VS Code does not expose them to webviews (microsoft/vscode#32813), so the theme's file is read.
 * Undefined until it is read, and for missing or invalid themes: the page has default colors.
 */
export class SyntaxTheme implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new vscode.EventEmitter<void>());
  #current: TokenColors | undefined;
  #reading = 0;

  readonly onDidChange = this.#onDidChange.event;

  constructor(private readonly log: Logger) {
    this.#store.add(vscode.window.onDidChangeActiveColorTheme(() => void this.read()));
    this.#store.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('editor.tokenColorCustomizations')) void this.read();
      }),
    );
    void this.read();
  }

  get current(): TokenColors | undefined {
    return this.#current;
  }

  /** Reads the active theme. Never rejects. */
  async read(): Promise<void> {
    const reading = ++this.#reading;
    const colors = await this.#read().catch((error: unknown) => {
      this.log.trace('ui', `Failed to read the color theme: ${errorMessage(error)}`);
      return undefined;
    });
    if (reading !== this.#reading) return;
    this.#current = colors;
    this.#onDidChange.fire();
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #read(): Promise<TokenColors | undefined> {
    const name = themeName();
    const file = name === undefined ? undefined : themeFile(name);
    if (name === undefined || !file) return undefined;
    const [{ parse }, { customRules, tokenColors }] = await Promise.all([
      import('jsonc-parser'),
      import('./tokenColorRules'),
    ]);
    const rules = await rulesOf(file, async (uri) => {
      return parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri))) as unknown;
    });
    const own = vscode.workspace.getConfiguration('editor').get<unknown>('tokenColorCustomizations');
    return tokenColors([...rules, ...customRules(own, name)]);
  }
}

/** The setting depends on whether VS Code follows the operating system. */
function themeName(): string | undefined {
  const { kind } = vscode.window.activeColorTheme;
  const window = vscode.workspace.getConfiguration('window');
  const workbench = vscode.workspace.getConfiguration('workbench');
  const chosen = workbench.get<string>('colorTheme');
  if (chosen !== undefined && themeFile(chosen) && window.get('autoDetectColorScheme') !== true) return chosen;
  return workbench.get<string>(PREFERRED[kind]);
}

/** Only a theme of the active kind; otherwise the setting is not in effect. */
function themeFile(name: string): vscode.Uri | undefined {
  const uiTheme = UI_THEMES[vscode.window.activeColorTheme.kind];
  for (const { packageJSON, extensionUri } of vscode.extensions.all) {
    const contributes: unknown = isObject(packageJSON) ? packageJSON['contributes'] : undefined;
    const themes: unknown = isObject(contributes) ? contributes['themes'] : undefined;
    if (!Array.isArray(themes)) continue;
    for (const theme of themes) {
      if (!isObject(theme) || (theme['id'] !== name && theme['label'] !== name) || theme['uiTheme'] !== uiTheme)
        continue;
      const path = asString(theme['path']);
      if (path?.endsWith('.json')) return vscode.Uri.joinPath(extensionUri, path);
    }
  }
  return undefined;
}

async function rulesOf(
  file: vscode.Uri,
  load: (uri: vscode.Uri) => Promise<unknown>,
  depth = 0,
): Promise<readonly TokenRule[]> {
  const theme = await load(file);
  if (!isObject(theme)) return [];
  const include = asString(theme['include']);
  const included =
    include === undefined || depth >= MAX_INCLUDES
      ? []
      : await rulesOf(vscode.Uri.joinPath(file, '..', include), load, depth + 1);
  const { readRules } = await import('./tokenColorRules');
  return [...included, ...readRules(theme['tokenColors'])];
}
