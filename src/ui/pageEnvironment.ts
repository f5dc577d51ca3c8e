import * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/config/agentDefinition';
import { DEMO_AGENT, isNothingConfigured, unusableAgentReason } from '../agent/config/agentSettings';
import type { AgentInstalls } from '../agent/registry/agentInstalls';
import { findKnownAgent } from '../agent/registry/knownAgents';
import { DelayedCall } from '../base/clock';
import { Emitter } from '../base/event';
import { omitUndefined } from '../base/json';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import { escapeInvisible } from '../base/untrustedText';
import { promptHint } from '../session/promptFiles/expandPrompt';
import type { PromptFileStore } from '../session/promptFiles/promptFileStore';
import type { ServerContent, ServerPrompt } from '../session/serverContent';
import type { Session } from '../session/session';
import { MAX_LISTED_PRESETS } from '../shared/protocol/chatPageProtocol';
import type { AgentSummary, NoAgent, PageEnvironment } from '../shared/protocol/chatPageProtocol';
import type { Command } from '../shared/state/sessionState';
import { EditorContext } from './attachments/activeEditorContext';
import { canDrawDiagrams } from './chat/diagramSupport';
import { SyntaxTheme } from './chat/syntaxTheme';
import type { WhatsNew } from './editorActions/whatsNew';
import { pageFolders } from './sessions/folderCommands';
import type { StartPageSource } from './startPageSource';
import type { EnvironmentSource, FollowToggle, UiSettings } from './window';

/** Milliseconds for which changes of servers are merged. */
const MERGE_WINDOW_MS = 100;

/** The data that all pages share: agents, trust, settings, and what comes from the editor. */
export class WindowEnvironment implements EnvironmentSource, Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<unknown>());
  readonly #editor: EditorContext;
  readonly #theme: SyntaxTheme;

  readonly onDidChange = this.#onDidChange.event;

  constructor(
    private readonly settings: UiSettings,
    private readonly installs: AgentInstalls,
    private readonly prompts: PromptFileStore,
    private readonly serverContent: ServerContent,
    private readonly follow: FollowToggle,
    private readonly whatsNew: WhatsNew,
    private readonly startPage: StartPageSource,
    log: Logger,
  ) {
    this.#editor = this.#store.add(new EditorContext(follow));
    this.#theme = this.#store.add(new SyntaxTheme(log));
    const sources = [whatsNew, startPage, this.#editor, this.#theme, settings, installs, prompts, follow];
    const changes = [vscode.workspace.onDidChangeWorkspaceFolders, vscode.extensions.onDidChange];
    const events = [...sources.map(({ onDidChange }) => onDidChange), ...changes];
    // Servers change often while they start.
    const later = this.#store.add(new DelayedCall(MERGE_WINDOW_MS, () => this.#onDidChange.fire(undefined)));
    this.#store.add(serverContent.onDidChange(() => later.schedule()));
    for (const event of events) this.#store.add(event(() => this.#onDidChange.fire(undefined)));
  }

  environment(session: Session): PageEnvironment {
    const { settings } = this;
    const found = this.installs.found();
    return {
      agents: settings.agents().map(summaryOf),
      presets: settings
        .scoped('presets')
        .user.slice(0, MAX_LISTED_PRESETS + 1)
        .map(({ name, agent }) => ({ name, agent })),
      found: found.map(({ id, title, path, args }) => ({
        name: id,
        title,
        description: [path, ...args].join(' '),
        known: id,
      })),
      ...this.startPage.content,
      trusted: vscode.workspace.isTrusted,
      ...omitUndefined({ noAgent: noAgent(settings) }),
      prompts: [...this.prompts.commands(), ...this.serverContent.prompts(session).map(toCommand)],
      follow: this.follow.status,
      ...omitUndefined({ folders: pageFolders() }),
      thoughts: settings.get('thoughts'),
      sendKey: settings.get('sendKey'),
      suggestions: settings.get('suggestions'),
      budget: settings.get('budget'),
      // In a remote window this process does not run on the user's computer.
      mac: process.platform === 'darwin' && vscode.env.remoteName === undefined,
      ...omitUndefined({
        editor: this.#editor.current,
        tokens: this.#theme.current,
        whatsNew: this.whatsNew.version,
        diagrams: canDrawDiagrams() || undefined,
      }),
    };
  }

  dispose(): void {
    this.#store.dispose();
  }
}

function noAgent(settings: UiSettings): NoAgent | undefined {
  const given = [settings.agents(), settings.get('defaultAgent'), settings.problems] as const;
  if (isNothingConfigured(...given)) return 'demo';
  const reason = unusableAgentReason(...given);
  return reason === undefined ? undefined : { reason: escapeInvisible(reason) };
}

function toCommand({ command, description, arguments: args }: ServerPrompt): Command {
  const hint = promptHint({ arguments: args });
  return { name: command, description: escapeInvisible(description), ...(hint !== undefined && { hint }) };
}

function summaryOf({ name, title, description, command, args, origin }: AgentDefinition): AgentSummary {
  const known = findKnownAgent(command, args)?.id ?? (origin === 'registry' ? name : undefined);
  const summary = { name, title, description, ...omitUndefined({ known }) };
  return name === DEMO_AGENT ? { ...summary, builtIn: true } : summary;
}
