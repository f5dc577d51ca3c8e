import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { Mutex } from '../../node/fs/fileMutex';
import { fileMutex } from '../../node/fs/fileMutex';
import { KeyValueFiles } from '../../node/fs/keyValueFiles';
import type { ScopedSettingsReader } from '../../session/settings/scopedSettings';
import { openExternalUrl } from '../../workbench/openExternal';
import { showErrorMessage, showInformationMessage, showWarningMessage } from '../../workbench/windowMessages';
import { localFolders } from '../../workbench/workspaceFolders';
import { DefinitionPins } from '../availability/definitionPins';
import type { ToolFilterSettings } from '../availability/toolFilterSettings';
import type { CallGate } from '../calls/callGate';
import type { McpTraffic } from '../contract/recordedMcpConnection';
import type { ToolServers } from '../contract/toolServerRegistry';
import type { SignInUi } from './auth/oauthGrant';
import { SignInNotification } from './auth/signInNotification';
import { ChangedToolsNotification } from './changedToolsNotification';
import type { ServerDefinition } from './config/serverDefinition';
import { serverContent, describeServer } from './config/serverDefinition';
import type { ServerSecrets } from './config/serverInputs';
import { ServerSourceReader } from './config/serverSources';
import { GatewaySettings } from './gatewaySettings';
import type { ServerConsent } from './serverLauncher';
import { ServerLauncher } from './serverLauncher';
import type { UserServer } from './userServer';
import { UserServerFactory } from './userServerFactory';
import { WindowUserServers } from './windowUserServers';

type UserServerSettingKey = 'mcpServers' | 'mcp.fromVSCode' | 'mcp.gateway' | 'permissions.rules';

export type UserServerSettings = ScopedSettingsReader<UserServerSettingKey>;

interface Confirmed {
  readonly name: string;
  readonly place: string;
  readonly subject: string;
  readonly content: string;
  readonly lines: readonly string[];
}

/** Asks about the servers of a workspace. */
export interface ConfirmsServers {
  isAllowed(server: Confirmed): boolean;
  confirm(server: Confirmed, isAgain: boolean): Promise<boolean>;
}

interface UserServersOptions {
  readonly registry: ToolServers;
  readonly rules: ToolFilterSettings;
  readonly gate: CallGate;
  readonly settings: UserServerSettings;
  readonly confirm: ConfirmsServers;
  readonly secrets: ServerSecrets;
  /** Global storage of the extension. */
  readonly globalStorage: vscode.Uri;
  readonly version: string;
  readonly log: Logger;
}

/** The user's own MCP servers, and the notifications about them. */
export class UserServersService implements Disposable {
  readonly #store = new DisposableStore();
  readonly servers: WindowUserServers;

  constructor(options: UserServersOptions, traffic: McpTraffic) {
    const { registry, rules, gate, settings, confirm, secrets, globalStorage, version, log } = options;
    const sources = this.#store.add(new ServerSourceReader(settings, globalStorage));
    // Shared by all windows.
    const storage = vscode.Uri.joinPath(globalStorage, 'mcp').fsPath;
    const stored = new KeyValueFiles(storage, log);
    const pins = this.#store.add(new DefinitionPins(stored));
    const launcher = new ServerLauncher(consentOf(confirm), secrets, createSignInUi(fileMutex(storage)), log);
    const { onDidChangeWorkspaceFolders: onDidChangeFolders } = vscode.workspace;
    const window = { folders: localFolders, onDidChangeFolders, version, clock: systemClock, log, traffic };
    const factory = new UserServerFactory(launcher, window, pins, stored);
    const gateway = new GatewaySettings(settings);
    this.servers = this.#store.add(new WindowUserServers(registry, sources, rules, gateway, factory));
    const signIn = new SignInNotification<UserServer>((server) => void offerSignIn(server));
    this.#store.add(
      this.servers.onDidChange(() => {
        gate.invalidate();
        // The Tools panel shows a preview's sign-in itself.
        signIn.refresh(this.servers.all.filter(({ isConnected }) => isConnected));
      }),
    );
    const changedTools = new ChangedToolsNotification((sentence) => void showToolsChanged(sentence));
    this.#store.add(pins.onDidChange(() => changedTools.refresh(this.servers.all)));
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** The page opens only after a click on a button beside its complete URL (docs/security.md, row 13). */
function createSignInUi(inTurn: Mutex): SignInUi {
  return {
    inTurn,
    open: async (server, url) => {
      const yes = t('Open in Browser');
      const question = t('Sign in at {0} for the MCP server “{1}”?', new URL(url).host, escapeInvisibleInline(server));
      const detail = t('This page will open in your browser:\n{0}', escapeInvisibleInline(url));
      const isConfirmed = (await showInformationMessage(question, { modal: true, detail }, yes)) === yes;
      return isConfirmed && openExternalUrl(url);
    },
    reachable: async (url) => (await vscode.env.asExternalUri(vscode.Uri.parse(url))).toString(true),
  };
}

/** Shows errors: the user waits for the result. */
async function offerSignIn({ name, account }: UserServer): Promise<void> {
  const yes = t('Sign In');
  const sentence = t('The MCP server “{0}” requires sign-in.', escapeInvisibleInline(name));
  if ((await showInformationMessage(sentence, yes)) !== yes) return;
  await account?.signIn().catch((error: unknown) => {
    void showErrorMessage(errorMessage(error));
  });
}

async function showToolsChanged(sentence: string): Promise<void> {
  const show = t('Show Tools');
  if ((await showWarningMessage(sentence, show)) === show) await vscode.commands.executeCommand('parley.showTools');
}

function consentOf(confirm: ConfirmsServers): ServerConsent {
  const shown = (definition: ServerDefinition): Confirmed => ({
    name: escapeInvisibleInline(definition.name),
    place: definition.origin.label,
    subject: `mcp:${definition.origin.id}:${definition.name}`,
    content: serverContent(definition),
    lines: describeServer(definition, definition.origin.folder ?? localFolders()[0] ?? homedir()),
  });
  return {
    isAllowed: (definition) => confirm.isAllowed(shown(definition)),
    confirm: (definition, isAgain) => confirm.confirm(shown(definition), isAgain),
  };
}
