import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { demoAgent, readAgents } from './agent/agentSettings';
import type { AgentDefinition } from './agent/definition';
import { Emitter } from './base/event';
import type { Disposable } from './base/lifecycle';
import { DisposableStore } from './base/lifecycle';
import type { Log } from './base/log';
import type { Redactor } from './base/redact';
import { secretValues } from './base/redact';
import type { PlainSettings, SettingProblem } from './base/settings';
import { DEFAULT_REGISTRY, readPlainSettings } from './base/settings';
import { withoutLinks } from './base/visible';

interface Values {
  readonly agents: readonly AgentDefinition[];
  readonly plain: PlainSettings;
  readonly problems: readonly SettingProblem[];
}

export interface ConfigOptions {
  readonly log: Log;
  /** Learns the values that must not be logged. */
  readonly redactor: Redactor;
  /** Absolute path of the folder the extension is installed in. */
  readonly extensionPath: string;
  /** Agents that the person installed; they come after those of the settings. */
  installed?(): readonly AgentDefinition[];
}

/** The settings of Parley: typed, checked, with one change event. A wrong value is named once and the rest stays usable. */
export class Config implements Disposable {
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  readonly #options: ConfigOptions;
  #values: Values;
  #shown = '';

  /** Fires after a setting, the workspace folders or the trust changed. */
  readonly onDidChange = this.#changed.event;

  constructor(options: ConfigOptions) {
    this.#options = options;
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

  /** The person's own agents in the order of the settings, then the installed ones (the settings win), then the built-in one. */
  agents(): readonly AgentDefinition[] {
    return this.#values.agents;
  }

  /** The registry's address of the person, and the one that the workspace wants instead. */
  get registry(): { readonly own: string; readonly workspace?: string } {
    const found = vscode.workspace.getConfiguration('parley').inspect<unknown>('registry.url');
    const workspace = found?.workspaceFolderValue ?? found?.workspaceValue;
    const own = typeof found?.globalValue === 'string' ? found.globalValue : DEFAULT_REGISTRY;
    return { own, ...(typeof workspace === 'string' && { workspace }) };
  }

  /** Reads everything again: what is installed has changed. */
  refresh(): void {
    this.#refresh();
  }

  get<K extends keyof PlainSettings>(key: K): PlainSettings[K] {
    return this.#values.plain[key];
  }

  /** What is wrong with the settings now. */
  get problems(): readonly SettingProblem[] {
    return this.#values.problems;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #refresh(): void {
    this.#values = this.#read();
    this.#changed.fire();
    this.#showProblems();
  }

  #read(): Values {
    const settings = vscode.workspace.getConfiguration('parley');
    const problems: SettingProblem[] = [];
    const plain = readPlainSettings((key) => plainValue(settings, key), problems);
    const own = readAgents(this.#ownAgents(settings), agentContext(), problems);
    const demo = demoAgent(process.execPath, join(this.#options.extensionPath, 'dist', 'demo.js'));
    const installed = this.#options.installed?.() ?? [];
    const added = installed.filter(({ name }) => !own.some((agent) => agent.name === name));
    const agents = [...own, ...added, demo];
    if (plain.defaultAgent !== '' && !agents.some((agent) => agent.name === plain.defaultAgent)) {
      const known = agents.map((agent) => JSON.stringify(agent.name)).join(', ');
      const message = `no agent is called ${JSON.stringify(plain.defaultAgent)}; there are ${known}`;
      problems.push({ path: 'parley.defaultAgent', message });
    }
    for (const { env, remote } of own) this.#options.redactor.add(secretValues({ ...env, ...remote?.headers }));
    return { agents, plain, problems };
  }

  /** What the person defined, never what a workspace does: an agent is a program that is run (security: settings from the workspace). */
  #ownAgents(settings: vscode.WorkspaceConfiguration): unknown {
    const found = settings.inspect('agents');
    for (const value of [found?.workspaceValue, found?.workspaceFolderValue]) {
      if (value === undefined) continue;
      this.#options.log.warn('config', 'parley.agents of the workspace is ignored; only your own settings count');
    }
    return found?.globalValue;
  }

  #showProblems(): void {
    const sentence = this.#values.problems.map(({ path, message }) => `${path}: ${message}`).join('. ');
    if (sentence === this.#shown) return;
    this.#shown = sentence;
    if (sentence === '') return;
    for (const { path, message } of this.#values.problems) this.#options.log.warn('config', `${path}: ${message}`);
    void askToOpen(`Parley settings: ${sentence}.`, this.#values.problems[0]?.path ?? 'parley');
  }
}

async function askToOpen(sentence: string, path: string): Promise<void> {
  const open = 'Open Settings';
  if ((await vscode.window.showWarningMessage(withoutLinks(sentence), open)) !== open) return;
  const [key = 'parley'] = path.split('[');
  await vscode.commands.executeCommand('workbench.action.openSettings', key);
}

/** The nearest value, read per scope: what VS Code merges is not used. */
function plainValue(settings: vscode.WorkspaceConfiguration, key: string): unknown {
  const found = settings.inspect(key);
  return found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
}

function agentContext(): Parameters<typeof readAgents>[1] {
  const workspaceFolder = vscode.workspace.workspaceFolders?.find((folder) => folder.uri.scheme === 'file')?.uri.fsPath;
  return {
    variables: { workspaceFolder, userHome: homedir(), env: process.env },
    trusted: vscode.workspace.isTrusted,
    isAbsolute,
  };
}
