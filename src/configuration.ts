import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { AgentDefinition } from './agent/config/agentDefinition';
import { DEFAULT_AGENT, demoAgent, findAgent, readAgents } from './agent/config/agentSettings';
import { readWorkspaceAgents } from './agent/config/workspaceAgents';
import { ParleyError } from './base/errors';
import { Emitter } from './base/event';
import { isObject } from './base/json';
import { t } from './base/l10n';
import type { Disposable } from './base/lifecycle';
import { DisposableStore } from './base/lifecycle';
import type { Logger } from './base/logger';
import type { Redactor } from './base/redactor';
import { secretEnvValues } from './base/redactor';
import type { PlainSettings, SettingProblem } from './base/settings';
import { DEFAULT_REGISTRY, settingProblemText, readPlainSettings } from './base/settings';
import type { RawScopes, SettingScopes } from './base/settingScopes';
import { readPlainSetting, readScopes, workspaceScopeValues } from './base/settingScopes';
import { escapeInvisibleInline } from './base/untrustedText';
import type { Variables } from './base/variableSubstitution';
import type { ScopedSettings } from './session/settings/scopedSettings';
import { scopedSettings } from './session/settings/scopedSettings';
import type { Preset } from './shared/state/preset';
import { showWarningMessage } from './workbench/windowMessages';

/** Wrong values that one notification names. */
const MAX_SHOWN = 3;

type ScopedValues = { readonly [K in keyof ScopedSettings]: SettingScopes<ScopedSettings[K]> };

interface Values {
  readonly scoped: ScopedValues;
  readonly agents: readonly AgentDefinition[];
  readonly plain: PlainSettings;
  readonly problems: readonly SettingProblem[];
}

/** The settings of Parley: typed, validated, with one change event. An invalid value is reported once, and the other values stay usable. */
export class Configuration implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<void>());
  #values: Values;
  #reported: readonly SettingProblem[] = [];
  /** Problems that were already reported and still exist. */
  #reportedBefore: ReadonlySet<string> = new Set();

  /** Fires after a change of settings, workspace folders or workspace trust. */
  readonly onDidChange = this.#onDidChange.event;

  /**
   * @param redactor receives the values that must not be logged
   * @param extensionPath absolute
   * @param installed agents that the user installed; listed after those of the settings
   */
  constructor(
    private readonly log: Logger,
    private readonly redactor: Redactor,
    private readonly extensionPath: string,
    private readonly installed?: { definitions(): readonly AgentDefinition[] },
  ) {
    this.#values = this.#read();
    this.#store.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('parley')) this.#refresh();
      }),
    );
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#refresh()));
    this.#store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#refresh()));
    this.#showProblems();
  }

  /**
   * All agents: the user's in the order of the settings, then installed ones (except where the settings have the same name), those of the
   * workspace, and the built-in one.
   */
  agents(): readonly AgentDefinition[] {
    return this.#values.agents;
  }

  /** The user's registry URL, and the workspace's URL if it overrides the user's. */
  get registry(): { readonly userUrl: string; readonly workspaceUrl?: string } {
    const scopes = rawScopes('registry.url');
    const workspaceUrl = workspaceScopeValues(scopes).at(-1);
    const userUrl = typeof scopes.user === 'string' ? scopes.user : DEFAULT_REGISTRY;
    return { userUrl, ...(typeof workspaceUrl === 'string' && { workspaceUrl }) };
  }

  /** Reads all settings again, after a change of the installed agents. */
  refresh(): void {
    this.#refresh();
  }

  get<K extends keyof PlainSettings>(key: K): PlainSettings[K] {
    return this.#values.plain[key];
  }

  /**
   * The values of a setting by scope, for settings that name what is run, reached or allowed. In an untrusted workspace only the user's
   * value.
   */
  scoped<K extends keyof ScopedSettings>(key: K): SettingScopes<ScopedSettings[K]> {
    return this.#values.scoped[key];
  }

  /**
   * Adds an entry to the user's `parley.presets`, or replaces the one of this name. The others stay as they are written.
   * @throws ParleyError when the setting is no object
   */
  async savePreset({ name, ...entry }: Preset): Promise<void> {
    const settings = vscode.workspace.getConfiguration('parley');
    const written = settings.inspect('presets')?.globalValue ?? {};
    if (!isObject(written)) throw new ParleyError('badInput', t('Correct the setting parley.presets first.'));
    await settings.update('presets', { ...written, [name]: entry }, vscode.ConfigurationTarget.Global);
  }

  /** The current problems of the settings. */
  get problems(): readonly SettingProblem[] {
    return [...this.#values.problems, ...this.#reported];
  }

  /** Replaces the reported problems that only another room can detect. */
  report(problems: readonly SettingProblem[]): void {
    this.#reported = problems;
    this.#showProblems();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #refresh(): void {
    this.#values = this.#read();
    this.#onDidChange.fire();
    this.#showProblems();
  }

  #read(): Values {
    const { isTrusted } = vscode.workspace;
    const problems: SettingProblem[] = [];
    const plain = readPlainSettings((key, reader) => readPlainSetting(key, rawScopes(key), reader, problems));
    const scoped = readScoped(problems);
    const own = readAgents(scoped.agents.user, variables(), isTrusted, problems);
    const demo = demoAgent(process.execPath, join(this.extensionPath, 'dist', 'lib', 'demo.js'));
    const installed = this.installed?.definitions() ?? [];
    const added = installed.filter(({ name }) => !own.some((agent) => agent.name === name));
    const mine = [...own, ...added, demo].map(({ name }) => name);
    const theirs = readWorkspaceAgents(scoped.agents, variables, isTrusted, mine, problems);
    const agents = [...own, ...added, ...theirs, demo];
    nameUnknownDefault(plain.defaultAgent, agents, problems);
    for (const { env, remote } of [...own, ...theirs])
      this.redactor.add(secretEnvValues({ ...env, ...remote?.headers }));
    return { agents, plain, scoped, problems };
  }

  /** Reports new problems; existing ones were already reported. */
  #showProblems(): void {
    const { problems } = this;
    const fresh = problems.filter((problem) => !this.#reportedBefore.has(settingProblemText(problem)));
    this.#reportedBefore = new Set(problems.map(settingProblemText));
    if (fresh.length === 0) return;
    for (const problem of fresh) this.log.warn('config', settingProblemText(problem));
    const more = fresh.length > MAX_SHOWN ? [t('And {0} more, listed in the log', fresh.length - MAX_SHOWN)] : [];
    const sentence = [...fresh.slice(0, MAX_SHOWN).map(settingProblemText), ...more].join('. ');
    void askToOpen(t('Parley settings: {0}.', escapeInvisibleInline(sentence)), fresh[0]);
  }
}

async function askToOpen(sentence: string, problem: SettingProblem | undefined): Promise<void> {
  const open = t('Open Settings');
  if ((await showWarningMessage(sentence, open)) !== open) return;
  const [query = 'parley'] = problem?.path.split('[') ?? [];
  const command = problem?.from === undefined ? 'openSettings' : 'openWorkspaceSettings';
  await vscode.commands.executeCommand(`workbench.action.${command}`, { query });
}

/**
 * The raw values of a setting by scope. Values of an untrusted workspace are not read, even if package.json does not restrict the setting.
 */
function rawScopes(key: string): RawScopes {
  const { isTrusted, workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const inspect = (scope?: vscode.Uri): ReturnType<vscode.WorkspaceConfiguration['inspect']> =>
    vscode.workspace.getConfiguration('parley', scope).inspect(key);
  const found = inspect();
  if (!isTrusted) return { user: found?.globalValue, workspace: undefined, folders: [] };
  // In a window with one folder, the folder's settings are the workspace's.
  const folders = workspaceFile === undefined ? [] : workspaceFolders;
  const values = folders.map(({ name, uri }) => ({
    name,
    path: uri.fsPath,
    value: inspect(uri)?.workspaceFolderValue,
  }));
  return {
    user: found?.globalValue,
    workspace: found?.workspaceValue,
    folders: values.filter(({ value }) => value !== undefined),
  };
}

function readScoped(problems: SettingProblem[]): ScopedValues {
  const read = Object.entries(scopedSettings).map(([key, reader]) => {
    return [key, readScopes<unknown>(key, rawScopes(key), reader, problems)];
  });
  return Object.fromEntries(read) as ScopedValues;
}

function nameUnknownDefault(name: string, agents: readonly AgentDefinition[], problems: SettingProblem[]): void {
  if (name === '' || findAgent(agents, name)) return;
  const names = agents.map((agent) => JSON.stringify(agent.name)).join(', ');
  problems.push({
    path: DEFAULT_AGENT,
    message: t('no agent is named {0}; available agents: {1}', JSON.stringify(name), names),
  });
}

/** @param folder value of `${workspaceFolder}`; the first folder if undefined */
function variables(folder?: string): Variables {
  const first = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath;
  return { workspaceFolder: folder ?? first, userHome: homedir(), env: process.env };
}
