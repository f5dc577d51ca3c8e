import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { allScopeValues, workspaceScopeValues } from '../../base/settingScopes';
import type { SettingScopes } from '../../base/settingScopes';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { fileMutex } from '../../node/fs/fileMutex';
import { KeyValueFiles } from '../../node/fs/keyValueFiles';
import type { ScopedSettingsReader } from '../../session/settings/scopedSettings';
import { showErrorMessage, showInformationMessage, showWarningMessage } from '../../workbench/windowMessages';
import { localFolders } from '../../workbench/workspaceFolders';
import { DefinitionPins } from '../availability/definitionPins';
import type { ToolFilterSettings } from '../availability/toolFilterSettings';
import type { CallGate } from '../calls/callGate';
import type { ToolServers } from '../contract/toolServerRegistry';
import type { SignInUi } from './auth/oauthGrant';
import { SignInNotification } from './auth/signInNotification';
import { ChangedToolsNotification } from './changedToolsNotification';
import type { ServerConsent } from './config/prepareServer';
import type { ServerDefinition } from './config/serverDefinition';
import { serverContent, describeServer } from './config/serverDefinition';
import type { InputValues, SecretStorage } from './config/serverInputs';
import { ServerSourceReader } from './config/serverSources';
import type { GatewayMode } from './serverRoute';
import type { UserServer } from './userServer';
import type { UserServersOptions } from './windowUserServers';
import { WindowUserServers } from './windowUserServers';

type UserServerSettingKey = 'mcpServers' | 'mcp.fromVSCode' | 'mcp.gateway' | 'permissions.rules';

type UserServerSettings = ScopedSettingsReader<UserServerSettingKey>;

/** Implemented by `ConfirmServer`. */
interface Confirmed {
  readonly name: string;
  readonly place: string;
  readonly subject: string;
  readonly content: string;
  readonly lines: readonly string[];
}

interface ConfirmsServers {
  isAllowed(server: Confirmed): boolean;
  confirm(server: Confirmed, isAgain: boolean): Promise<boolean>;
}

export interface UserServersDeps {
  readonly settings: UserServerSettings;
  readonly confirm: ConfirmsServers;
  readonly inputs: InputValues & SecretStorage;
  /** Shows the complete URL and opens it unchanged; false if the user declines. */
  readonly openUrl: (url: string) => Promise<boolean>;
  /** Global storage of the extension. */
  readonly globalStorage: vscode.Uri;
}

interface UserServersServiceOptions extends UserServersDeps {
  readonly registry: ToolServers;
  readonly rules: ToolFilterSettings;
  readonly gate: CallGate;
  readonly log: Logger;
  readonly version: string;
}

/** The user's own MCP servers, and the notifications about them. */
export class UserServersService implements Disposable {
  readonly #store = new DisposableStore();
  readonly sources: ServerSourceReader;
  readonly servers: WindowUserServers;

  constructor(options: UserServersServiceOptions) {
    const { settings, globalStorage, gate, log } = options;
    this.sources = this.#store.add(new ServerSourceReader(settings, globalStorage));
    const stored = new KeyValueFiles(storageFolder(options), log);
    const pins = this.#store.add(new DefinitionPins(stored));
    this.servers = this.#store.add(createServers(options, { sources: this.sources, stored, pins }));
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

/** Shared by all windows. */
function storageFolder({ globalStorage }: UserServersDeps): string {
  return vscode.Uri.joinPath(globalStorage, 'mcp').fsPath;
}

function createServers(
  options: UserServersServiceOptions,
  opened: Pick<UserServersOptions, 'sources' | 'stored' | 'pins'>,
): WindowUserServers {
  const { settings, registry, rules, log, version, inputs, confirm } = options;
  const folder = (): string => localFolders()[0] ?? homedir();
  return new WindowUserServers({
    ...opened,
    servers: registry,
    mode: () => modeOf(settings.scoped('mcp.gateway')),
    rules,
    permissions: () => toolPatterns(settings),
    log,
    clock: systemClock,
    version,
    consent: consentOf(confirm, folder),
    inputs,
    folder,
    folders: localFolders,
    schemaCheck,
    vault: inputs,
    inTurn: fileMutex(storageFolder(options)),
    signInUi: createSignInUi(options),
  });
}

/** The page opens only after a click on a button beside its complete URL (docs/security.md, row 13). */
function createSignInUi({ openUrl }: UserServersDeps): SignInUi {
  return {
    open: async (server, url) => {
      const yes = t('Open in Browser');
      const question = t('Sign in at {0} for the MCP server “{1}”?', new URL(url).host, escapeInvisibleInline(server));
      const detail = t('This page will open in your browser:\n{0}', escapeInvisibleInline(url));
      const isConfirmed = (await showInformationMessage(question, { modal: true, detail }, yes)) === yes;
      return isConfirmed && openUrl(url);
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

/** The user's mode; a workspace can only route more servers through Parley. */
function modeOf(mode: SettingScopes<GatewayMode>): GatewayMode {
  return workspaceScopeValues(mode).includes('always') ? 'always' : mode.user;
}

/** The `tool` of all permission rules: such a rule only works for calls through Parley. */
function toolPatterns(settings: UserServerSettings): readonly string[] {
  return allScopeValues(settings.scoped('permissions.rules'))
    .flat()
    .flatMap(({ tool }) => tool ?? []);
}

function consentOf(confirm: ConfirmsServers, folder: () => string): ServerConsent {
  const shown = (definition: ServerDefinition): Confirmed => ({
    name: escapeInvisibleInline(definition.name),
    place: definition.origin.label,
    subject: `mcp:${definition.origin.id}:${definition.name}`,
    content: serverContent(definition),
    lines: describeServer(definition, definition.origin.folder ?? folder()),
  });
  return {
    isAllowed: (definition) => confirm.isAllowed(shown(definition)),
    confirm: (definition, isAgain) => confirm.confirm(shown(definition), isAgain),
  };
}

async function schemaCheck(): Promise<(schema: Readonly<Record<string, unknown>>) => boolean> {
  const { fromJsonSchema, JsonSchemaValidator } = await import('../contract/mcpServerSdk');
  return (schema) => {
    try {
      fromJsonSchema(schema, new JsonSchemaValidator());
      return true;
    } catch {
      return false;
    }
  };
}
