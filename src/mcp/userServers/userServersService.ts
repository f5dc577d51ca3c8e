import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import { errorMessage } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { allScopeValues, workspaceScopeValues } from '../../base/settingScopes';
import type { SettingScopes } from '../../base/settingScopes';
import type { SettingProblem } from '../../base/settings';
import { escapeInvisibleInline, escapeMarkdownLinks } from '../../base/untrustedText';
import { localFolders } from '../../workbench/workspaceFolders';
import type { ScopedSettingsReader } from '../../session/settings/scopedSettings';
import type { ServerDefinition } from './config/serverDefinition';
import { serverContent, describeServer } from './config/serverDefinition';
import type { InputValues } from './config/serverInputs';
import { ChangedToolsNotification } from './changedToolsNotification';
import { KeyValueFiles } from '../../node/fs/keyValueFiles';
import type { UserServer } from './userServer';
import type { ServerConsent } from './config/prepareServer';
import type { UserServersOptions } from './userServers';
import { UserServers } from './userServers';
import type { GatewayMode } from './serverRoute';
import { SignInNotification } from './auth/signInNotification';
import { ServerSourceReader } from './config/serverSources';
import { fileMutex } from '../../node/fs/fileMutex';
import { DefinitionPins } from '../availability/definitionPins';
import type { ToolFilterSettings } from '../availability/toolFilterSettings';
import type { ToolServers } from '../toolServerRegistry';
import type { SecretStorage, SignInUi } from './auth/oauthGrant';

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
  ask(server: Confirmed, isAgain: boolean): Promise<boolean>;
}

export interface UserServersDeps {
  readonly settings: UserServerSettings;
  readonly confirm: ConfirmsServers;
  readonly inputs: InputValues & SecretStorage;
  /** Shows the complete URL and opens it unchanged; false if the user declines. */
  readonly openAddress: (address: string) => Promise<boolean>;
  /** Global storage of the extension. */
  readonly globalStorage: vscode.Uri;
}

interface OpenUserServersOptions extends UserServersDeps {
  readonly servers: ToolServers;
  readonly rules: ToolFilterSettings;
  readonly switched: Event<void>;
  readonly log: Logger;
  readonly version: string;
  /** Called when availability must be evaluated again. */
  readonly changed: () => void;
}

export interface UserServersService extends Disposable {
  readonly servers: UserServers;
  /** Fires when servers or their problems may have changed. */
  readonly onDidChange: Event<void>;
  problems(): readonly SettingProblem[];
  /** Names of servers whose tools are not known. */
  unknown(): readonly string[];
}

export function openUserServers(options: OpenUserServersOptions): UserServersService {
  const { settings, switched, log } = options;
  const store = new DisposableStore();
  const sources = store.add(openSources(options));
  const changedRules = store.add(new Emitter<void>());
  for (const event of [settings.onDidChange, switched]) store.add(event(() => changedRules.fire()));
  const kept = new KeyValueFiles(keptFolder(options), log);
  const pins = store.add(new DefinitionPins(kept));
  const wanted = new SignInNotification<UserServer>((server) => void offerSignIn(server));
  const changed = (): void => {
    options.changed();
    // The Tools panel shows a preview's sign-in itself.
    wanted.refresh(known?.all.filter(({ isConnected }) => isConnected) ?? []);
  };
  // Undefined during construction.
  let known: UserServers | undefined;
  const opened = store.add(
    openServers({ ...options, changed }, { sources, onDidChangeRules: changedRules.event, kept, pins }),
  );
  known = opened;
  const notice = new ChangedToolsNotification((sentence) => void showToolsChanged(sentence));
  store.add(pins.onDidChange(() => notice.refresh(opened.all)));
  return {
    servers: opened,
    onDidChange: sources.onDidChange,
    problems: () => sources.problems(),
    unknown: () => opened.unknown(),
    dispose: () => store.dispose(),
  };
}

/** Shared by all windows. */
function keptFolder({ globalStorage }: UserServersDeps): string {
  return vscode.Uri.joinPath(globalStorage, 'mcp').fsPath;
}

type Opened = Pick<UserServersOptions, 'sources' | 'onDidChangeRules' | 'kept' | 'pins'>;

function openServers(options: OpenUserServersOptions, opened: Opened): UserServers {
  const { settings, servers, rules, log, version, inputs, changed } = options;
  const folder = (): string => localFolders()[0] ?? homedir();
  return new UserServers({
    ...opened,
    servers,
    mode: () => modeOf(settings.scoped('mcp.gateway')),
    rules: (session) => rules.of(session),
    permissions: () => toolPatterns(settings),
    changed,
    log,
    clock: systemClock,
    version,
    consent: consentOf(options.confirm, folder),
    inputs,
    folder,
    folders: localFolders,
    schemaCheck,
    vault: inputs,
    inTurn: fileMutex(keptFolder(options)),
    signIn: createSignInUi(options),
  });
}

/** The page opens only after a click on a button beside its complete URL (docs/security.md, row 13). */
function createSignInUi({ openAddress }: UserServersDeps): SignInUi {
  return {
    open: async (server, address) => {
      const yes = t('Open in Browser');
      const question = t(
        'Sign in at {0} for the MCP server “{1}”?',
        new URL(address).host,
        escapeInvisibleInline(server),
      );
      const detail = t('This page will open in your browser:\n{0}', escapeInvisibleInline(address));
      const isWanted = (await vscode.window.showInformationMessage(question, { modal: true, detail }, yes)) === yes;
      return isWanted && openAddress(address);
    },
    reachable: async (address) => (await vscode.env.asExternalUri(vscode.Uri.parse(address))).toString(true),
  };
}

/** Shows errors: the user waits for the result. */
async function offerSignIn({ name, account }: UserServer): Promise<void> {
  const yes = t('Sign In');
  const sentence = t('The MCP server “{0}” requires sign-in.', escapeMarkdownLinks(escapeInvisibleInline(name)));
  if ((await vscode.window.showInformationMessage(sentence, yes)) !== yes) return;
  await account?.signIn().catch((error: unknown) => {
    void vscode.window.showErrorMessage(escapeMarkdownLinks(errorMessage(error)));
  });
}

async function showToolsChanged(sentence: string): Promise<void> {
  const show = t('Show Tools');
  if ((await vscode.window.showWarningMessage(sentence, show)) === show)
    await vscode.commands.executeCommand('parley.showTools');
}

function openSources({ settings, globalStorage, log }: OpenUserServersOptions): ServerSourceReader {
  return new ServerSourceReader({
    setting: () => settings.scoped('mcpServers'),
    // A workspace can disable this setting but not enable it.
    fromVSCode: () => allScopeValues(settings.scoped('mcp.fromVSCode')).every(Boolean),
    onDidChangeSettings: settings.onDidChange,
    globalStorage,
    log,
  });
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
    place: definition.place.words,
    subject: `mcp:${definition.place.id}:${definition.name}`,
    content: serverContent(definition),
    lines: describeServer(definition, definition.place.folder ?? folder()),
  });
  return {
    isAllowed: (definition) => confirm.isAllowed(shown(definition)),
    ask: (definition, isAgain) => confirm.ask(shown(definition), isAgain),
  };
}

async function schemaCheck(): Promise<(schema: Readonly<Record<string, unknown>>) => boolean> {
  const { fromJsonSchema } = await import('../host/mcpServerSdk');
  return (schema) => {
    try {
      fromJsonSchema(schema);
      return true;
    } catch {
      return false;
    }
  };
}
