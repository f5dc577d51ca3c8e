import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { DelayedCall } from '../../../base/clock';
import { errorMessage, isMissingPath } from '../../../base/errors';
import type { Event } from '../../../base/event';
import { Emitter } from '../../../base/event';
import type { JsonObject } from '../../../base/json';
import { t } from '../../../base/l10n';
import type { Disposable } from '../../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../../base/lifecycle';
import type { SettingProblem } from '../../../base/settings';
import { allScopeValues } from '../../../base/settingScopes';
import type { ScopedSettingsReader } from '../../../session/settings/scopedSettings';
import { readWorkspaceFile } from '../../../workbench/workspaceFiles';
import { localWorkspaceFolders, localFolders } from '../../../workbench/workspaceFolders';
import type { McpJson } from './mcpJson';
import type { readServers } from './readServerEntries';
import type { ServerDefinition, ServerOrigin } from './serverDefinition';
import { serverContent } from './serverDefinition';
import { readInputs } from './serverInputs';

type ServerSettings = ScopedSettingsReader<'mcpServers' | 'mcp.fromVSCode'>;

interface FileSource {
  readonly uri: vscode.Uri;
  readonly origin: ServerOrigin;
  /** Setting-like name of the file in problem reports. */
  readonly title: string;
}

/** Bytes of a file that is read: a list of servers is a few kilobytes. */
const MAX_FILE = 1024 * 1024;
/** Milliseconds: file changes come in bursts. */
const MERGE_WINDOW_MS = 200;

/** The servers of settings, `.vscode/mcp.json` and the profile's `mcp.json`. Reads nothing in an untrusted workspace. */
export class ServerSourceReader implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<void>());
  readonly #watchers = this.#store.add(new MutableDisposable<DisposableStore>());
  readonly #delayedRead = this.#store.add(new DelayedCall(MERGE_WINDOW_MS, () => this.#startReading()));
  /** Last contents, by URI. */
  #files = new Map<string, McpJson | { readonly problem: string }>();
  #definitions: readonly ServerDefinition[] = [];
  #problems: readonly SettingProblem[] = [];
  #reads = 0;
  /** Loaded with the first server that is configured. */
  #readServers: typeof readServers | undefined;

  readonly onDidChange: Event<void> = this.#onDidChange.event;
  #ready: Promise<void>;

  /** @param globalStorage of the extension; the profile's `mcp.json` is two folders above. */
  constructor(
    private readonly settings: ServerSettings,
    private readonly globalStorage: vscode.Uri,
  ) {
    this.#store.add(settings.onDidChange(() => this.#startReading()));
    this.#ready = this.#readSources();
  }

  /** Settles when the latest settings have been read; never rejects. A chat that opens right after a change waits for this. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** In order: the user's own before the workspace's. */
  definitions(): readonly ServerDefinition[] {
    return this.#definitions;
  }

  problems(): readonly SettingProblem[] {
    return this.#problems;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #startReading(): void {
    this.#ready = this.#readSources();
  }

  /** Reads the files again, and watches them. Never rejects. */
  async #readSources(): Promise<void> {
    this.#reads += 1;
    const read = this.#reads;
    const sources = this.#sources();
    this.#watch(sources);
    const files = await Promise.all(sources.map(async ({ uri }) => [uri.toString(), await readFile(uri)] as const));
    if (files.some(([, file]) => file) || this.#hasSettings())
      this.#readServers ??= (await import('./readServerEntries')).readServers;
    // A newer read has started.
    if (read !== this.#reads || this.#store.isDisposed) return;
    this.#files = new Map(files.flatMap(([key, file]) => (file ? [[key, file] as const] : [])));
    this.#update(sources);
  }

  #update(sources: readonly FileSource[]): void {
    const problems: SettingProblem[] = [];
    const all = [...this.#ofSettings(problems), ...sources.flatMap((source) => this.#ofFile(source, problems))];
    // User definitions first: a workspace must not take their names.
    const ordered = [
      ...all.filter(({ origin }) => !origin.isOfWorkspace),
      ...all.filter(({ origin }) => origin.isOfWorkspace),
    ];
    const seen = new Set<string>();
    this.#definitions = ordered.filter((definition) => {
      const key = JSON.stringify([definition.name, serverContent(definition)]);
      return !seen.has(key) && seen.add(key);
    });
    this.#problems = problems;
    this.#onDidChange.fire();
  }

  #sources(): readonly FileSource[] {
    // A workspace can disable this setting but not enable it.
    const isOn = allScopeValues(this.settings.scoped('mcp.fromVSCode')).every(Boolean);
    const access = vscode.workspace.getConfiguration('chat').inspect('mcp.access')?.globalValue;
    if (!isOn || !vscode.workspace.isTrusted || access === 'none') return [];
    const profile = vscode.Uri.joinPath(this.globalStorage, '..', '..', 'mcp.json');
    return [
      {
        uri: profile,
        title: t('mcp.json of your profile'),
        origin: { id: 'profile', label: t('mcp.json of your profile'), isOfWorkspace: false },
      },
      ...localWorkspaceFolders().map(({ name, uri }) => ({
        uri: vscode.Uri.joinPath(uri, '.vscode', 'mcp.json'),
        title: '.vscode/mcp.json',
        origin: {
          id: `mcp.json:${uri.fsPath}`,
          label: t('.vscode/mcp.json of the folder “{0}”', name),
          isOfWorkspace: true,
          folder: uri.fsPath,
        },
      })),
    ];
  }

  #watch(sources: readonly FileSource[]): void {
    const store = new DisposableStore();
    this.#watchers.value = store;
    for (const { uri } of sources) {
      const folder = vscode.Uri.joinPath(uri, '..');
      const watcher = store.add(
        vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, 'mcp.json')),
      );
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
        store.add(event(() => this.#delayedRead.restart()));
    }
  }

  #hasSettings(): boolean {
    const { user, workspace, folders } = this.settings.scoped('mcpServers');
    return [user, workspace, ...folders.map(({ value }) => value)].some((value) => Object.keys(value ?? {}).length > 0);
  }

  #ofSettings(problems: SettingProblem[]): readonly ServerDefinition[] {
    const { user, workspace, folders } = this.settings.scoped('mcpServers');
    if (!vscode.workspace.isTrusted) return [];
    const here = workspace && { id: 'workspace', label: t('the settings of this workspace'), isOfWorkspace: true };
    return [
      ...this.#readSetting(user, { id: 'settings', label: t('your settings'), isOfWorkspace: false }, problems),
      ...(here ? this.#readSetting(workspace, here, problems) : []),
      ...folders.flatMap(({ name, path, value }) => {
        const origin = {
          id: `settings:${path}`,
          label: t('the settings of the folder “{0}”', name),
          isOfWorkspace: true,
          folder: path,
        };
        return this.#readSetting(value, origin, problems);
      }),
    ];
  }

  #readSetting(value: JsonObject, origin: ServerOrigin, problems: SettingProblem[]): readonly ServerDefinition[] {
    const report = (message: string, field: string): void => {
      problems.push({
        path: `parley.mcpServers${field}`,
        message,
        ...(origin.isOfWorkspace && { from: origin.label }),
      });
    };
    const source = { origin, forms: new Map(), variables: variablesOf(origin) };
    return this.#readServers?.(value, source, report) ?? [];
  }

  #ofFile({ uri, origin, title }: FileSource, problems: SettingProblem[]): readonly ServerDefinition[] {
    const file = this.#files.get(uri.toString());
    if (!file) return [];
    const report = (message: string, field: string): void => {
      problems.push({ path: title + field, message, ...(origin.isOfWorkspace && { from: origin.label }) });
    };
    if ('problem' in file) report(file.problem, '');
    if ('problem' in file) return [];
    const forms = readInputs(file.inputs, report);
    const inServers = (message: string, field: string): void => report(message, `.servers${field}`);
    return this.#readServers?.(file.servers, { origin, forms, variables: variablesOf(origin) }, inServers) ?? [];
  }
}

function variablesOf({ folder }: ServerOrigin): Parameters<typeof readServers>[1]['variables'] {
  return { workspaceFolder: folder ?? localFolders()[0], userHome: homedir(), env: process.env };
}

/** Undefined if the file does not exist. */
async function readFile(uri: vscode.Uri): Promise<McpJson | { readonly problem: string } | undefined> {
  try {
    const { parseMcpJson } = await import('./mcpJson');
    return parseMcpJson(Buffer.from(await readWorkspaceFile(uri, MAX_FILE)).toString('utf8'));
  } catch (error) {
    if (isMissingPath(error) || (error instanceof vscode.FileSystemError && error.code === 'FileNotFound'))
      return undefined;
    return { problem: t('the file could not be read: {0}', errorMessage(error)) };
  }
}
