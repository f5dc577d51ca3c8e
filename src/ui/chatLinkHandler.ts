import type * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/config/agentDefinition';
import { findAgent } from '../agent/config/agentSettings';
import type { Logger } from '../base/logger';
import { requireWorkspaceFolder } from '../session/sessionFolder';
import type { Sessions } from '../session/sessions';
import { showWarningMessage } from '../workbench/windowMessages';
import { linkRemarks, parseChatLink, parseSessionLink } from './chatLink';
import type { Chat, UiSettings } from './window';

/** Opens links into Parley. Starts no agent, sends nothing, opens no folder. */
export class ChatLinkHandler implements vscode.UriHandler {
  constructor(
    private readonly sessions: Sessions,
    private readonly log: Logger,
    private readonly settings: UiSettings,
    private readonly chat: Chat,
  ) {}

  async handleUri(uri: vscode.Uri): Promise<void> {
    const id = parseSessionLink(uri);
    if (id !== undefined) return this.#showSession(id);
    const read = parseChatLink(uri);
    if ('problem' in read) {
      this.log.warn('ui', `Ignored a link: ${read.problem}`);
      void showWarningMessage(read.problem);
      return;
    }
    const { link } = read;
    const session = this.sessions.newChat();
    const agent = link.agent === undefined ? undefined : this.#find(link.agent);
    if (agent) session.setAgent(agent.name);
    this.log.info('ui', `Opened a link: ${link.prompt.length} characters of text`);
    const folder = link.folder === undefined ? undefined : await openFolder(link.folder, session.folders);
    if (folder !== undefined) session.setFolder(folder);
    const found = { hasAgent: agent !== undefined, hasFolder: folder !== undefined };
    await this.chat.fill(session, link.prompt, linkRemarks(link, found));
  }

  /** Shows the session only if it exists. Changes and starts nothing. */
  async #showSession(id: string): Promise<void> {
    const session = this.sessions.allOpen().find((one) => one.id === id) ?? (await this.sessions.open.load(id));
    if (session) await this.chat.open(session);
    else this.log.info('ui', 'Ignored a link to an unknown session');
  }

  #find(name: string): AgentDefinition | undefined {
    const agents = this.settings.agents();
    return findAgent(agents, name) ?? agents.find(({ title }) => title === name);
  }
}

/** The folder if it is in the workspace. A path outside is not looked up: a UNC path would contact another machine. */
async function openFolder(path: string, folders: readonly string[]): Promise<string | undefined> {
  try {
    return await requireWorkspaceFolder(path, folders);
  } catch {
    return undefined;
  }
}
