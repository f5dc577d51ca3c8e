import { homedir } from 'node:os';
import { basename, join } from 'node:path';
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
import { isOfWorkspace, readWorkspaceFile } from '../../../workbench/workspaceFiles';
import { localWorkspaceFolders, localFolders } from '../../../workbench/workspaceFolders';
import { withEnvFile } from './envFile';
import type { McpJson, ServersField } from './mcpJson';
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
  readonly field: ServersField;
}

/** In the folder `~/.copilot`, or that of `COPILOT_HOME`. */
const COPILOT_FILE = 'mcp-config.json';
/** Bytes of a file that is read: a list of servers is a few kilobytes. */
const MAX_FILE = 1024 * 1024;
/** Milliseconds: file changes come in bursts. */
const MERGE_WINDOW_MS = 200;

/** The servers of settings and of files: VS Code's, `.mcp.json` of folders, and Copilot's. Reads nothing in an untrusted workspace. */
export class ServerSourceReader implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<void>());
  readonly #watchers = this.#store.add(new MutableDisposable<DisposableStore>());
  readonly #delayedRead = this.#store.add(new DelayedCall(MERGE_WINDOW_MS, () => this.#startReading()));
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
    const uris = sources.map(({ uri }) => uri);
    this.#watch(uris);
    const files = await Promise.all(sources.map(async (source) => [source, await readFile(source)] as const));
    if (files.some(([, file]) => file) || this.#hasSettings())
      this.#readServers ??= (await import('./readServerEntries')).readServers;
    const problems: SettingProblem[] = [];
    const found = await Promise.all([
      ...this.#ofSettings(problems),
      ...files.flatMap(([source, file]) => (file ? [this.#ofFile(source, file, problems)] : [])),
    ]);
    // A newer read has started.
    if (read !== this.#reads || this.#store.isDisposed) return;
    const all = found.flat();
    const envFiles = all.flatMap(({ envFile }) => (envFile === undefined ? [] : [vscode.Uri.file(envFile)]));
    if (envFiles.length > 0) this.#watch([...uris, ...envFiles]);
    if (sources.length > 0 && vscode.env.remoteName !== undefined) problems.push(unreachableProfile());
    this.#update(all, problems);
  }

  #update(all: readonly ServerDefinition[], problems: readonly SettingProblem[]): void {
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
    const copilot = vscode.Uri.file(join(process.env['COPILOT_HOME'] ?? join(homedir(), '.copilot'), COPILOT_FILE));
    const profileTitle = t('mcp.json of your profile');
    return [
      {
        uri: profile,
        title: profileTitle,
        field: 'servers',
        origin: { id: 'profile', label: profileTitle, isOfWorkspace: false },
      },
      {
        uri: copilot,
        title: COPILOT_FILE,
        field: 'mcpServers',
        origin: { id: 'copilot', label: t('{0} of Copilot', COPILOT_FILE), isOfWorkspace: false, file: COPILOT_FILE },
      },
      // Of two equal servers, agents that read this file themselves already have one.
      ...localWorkspaceFolders().map((folder) => fileOf(folder, '.mcp.json', 'mcpServers')),
      ...localWorkspaceFolders().map((folder) => fileOf(folder, '.vscode/mcp.json', 'servers')),
    ];
  }

  #watch(uris: readonly vscode.Uri[]): void {
    const store = new DisposableStore();
    this.#watchers.value = store;
    for (const uri of uris) {
      const folder = vscode.Uri.joinPath(uri, '..');
      const watcher = store.add(
        vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, basename(uri.fsPath))),
      );
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
        store.add(event(() => this.#delayedRead.restart()));
    }
  }

  #hasSettings(): boolean {
    const { user, workspace, folders } = this.settings.scoped('mcpServers');
    return [user, workspace, ...folders.map(({ value }) => value)].some((value) => Object.keys(value ?? {}).length > 0);
  }

  #ofSettings(problems: SettingProblem[]): readonly Promise<ServerDefinition[]>[] {
    const { user, workspace, folders } = this.settings.scoped('mcpServers');
    if (!vscode.workspace.isTrusted) return [];
    const here = workspace && { id: 'workspace', label: t('the settings of this workspace'), isOfWorkspace: true };
    return [
      this.#readSetting(user, { id: 'settings', label: t('your settings'), isOfWorkspace: false }, problems),
      ...(here ? [this.#readSetting(workspace, here, problems)] : []),
      ...folders.map(({ name, path, value }) => {
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

  #readSetting(value: JsonObject, origin: ServerOrigin, problems: SettingProblem[]): Promise<ServerDefinition[]> {
    const source = { origin, forms: new Map(), variables: variablesOf(origin) };
    return this.#readEntries(value, source, reporter('parley.mcpServers', origin, problems));
  }

  async #ofFile(
    { origin, title, field }: FileSource,
    file: McpJson | { readonly problem: string },
    problems: SettingProblem[],
  ): Promise<ServerDefinition[]> {
    const report = reporter(title, origin, problems);
    if ('problem' in file) report(file.problem, '');
    if ('problem' in file) return [];
    const forms = readInputs(file.inputs, report);
    const variables = { ...variablesOf(origin), hasPlainNames: field === 'mcpServers' };
    return this.#readEntries(
      file.servers,
      { origin, forms, variables },
      reporter(`${title}.${field}`, origin, problems),
    );
  }

  async #readEntries(
    servers: JsonObject,
    source: Parameters<typeof readServers>[1],
    report: ReturnType<typeof reporter>,
  ): Promise<ServerDefinition[]> {
    const definitions = this.#readServers?.(servers, source, report) ?? [];
    const complete = definitions.map((definition) =>
      withEnvFile(
        definition,
        (path) => readText(vscode.Uri.file(path)),
        (message) => report(message, `[${JSON.stringify(definition.name)}].envFile`),
      ),
    );
    return (await Promise.all(complete)).flatMap((definition) => (definition ? withFileOrigin(definition) : []));
  }
}

/** Variables can decide what a command runs: your own server with those of a workspace file is one of the workspace. */
function withFileOrigin(definition: ServerDefinition): ServerDefinition {
  const { envFile, origin } = definition;
  if (envFile === undefined || !isOfWorkspace(envFile)) return definition;
  return { ...definition, origin: { ...origin, isOfWorkspace: true } };
}

function fileOf({ name, uri }: vscode.WorkspaceFolder, file: string, field: ServersField): FileSource {
  const folder = uri.fsPath;
  // The id is older than the other files.
  const id = `${file === '.mcp.json' ? file : 'mcp.json'}:${folder}`;
  const label = t('{0} of the folder “{1}”', file, name);
  return {
    uri: vscode.Uri.joinPath(uri, file),
    title: file,
    field,
    origin: { id, label, isOfWorkspace: true, folder, file },
  };
}

/** Adds problems with their path: that of the value, and the field inside. */
function reporter(
  path: string,
  { isOfWorkspace, label }: ServerOrigin,
  problems: SettingProblem[],
): (message: string, field: string, isNote?: boolean) => void {
  return (message, field, isNote) =>
    problems.push({ path: path + field, message, ...(isOfWorkspace && { from: label }), ...(isNote && { isNote }) });
}

/** The profile's folder belongs to the machine where VS Code's window is. */
function unreachableProfile(): SettingProblem {
  const message = t(
    'in a remote window, the file on your own computer cannot be read, only that of “MCP: Open Remote User Configuration”',
  );
  return { path: t('mcp.json of your profile'), message, isNote: true };
}

function variablesOf({ folder }: ServerOrigin): Parameters<typeof readServers>[1]['variables'] {
  return { workspaceFolder: folder ?? localFolders()[0], userHome: homedir(), env: process.env };
}

/** Undefined if the file does not exist. */
async function readFile({ uri, field }: FileSource): Promise<McpJson | { readonly problem: string } | undefined> {
  try {
    const { parseMcpJson } = await import('./mcpJson');
    return parseMcpJson(await readText(uri), field);
  } catch (error) {
    if (isMissingPath(error) || (error instanceof vscode.FileSystemError && error.code === 'FileNotFound'))
      return undefined;
    return { problem: t('the file could not be read: {0}', errorMessage(error)) };
  }
}

async function readText(uri: vscode.Uri): Promise<string> {
  return Buffer.from(await readWorkspaceFile(uri, MAX_FILE)).toString('utf8');
}
