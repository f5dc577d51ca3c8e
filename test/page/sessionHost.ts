import type { HostMessage, PageEnvironment, PageMessage } from '../../src/shared/protocol/chatPageProtocol';
import type { ToolsPanelState } from '../../src/shared/protocol/toolsPanelState';
import type { Attachment } from '../../src/shared/state/attachments';
import type { ConfigOption } from '../../src/shared/state/configOptionState';
import { entriesFrom } from '../../src/shared/state/entryPages';
import type { ChangedFile } from '../../src/shared/state/reviewState';
import type { Action } from '../../src/shared/state/sessionActions';
import type { Entry } from '../../src/shared/state/sessionState';
import type { ChatPage } from './harness';
import { mentions } from './mentionSample';
import { NOON } from './sample';
import { toolsShown } from './toolsSample';

const LOG: Attachment = { kind: 'file', uri: 'file:///w/server.log', label: 'server.log' };
const UNDONE = { id: 'undone', text: 'Undid changes', details: [], isWarning: false, button: 'Redo' };
/** Messages that need no response. */
const PASSIVE: ReadonlySet<PageMessage['type']> = new Set(['ack', 'draft', 'focused', 'ready']);

interface Answer {
  readonly actions?: readonly Action[];
  readonly message?: HostMessage;
}

type Answers = { readonly [T in PageMessage['type']]?: (message: Extract<PageMessage, { type: T }>) => Answer };

/** Responds to the page as the extension host does, so that a test can drive a session through the page. */
export class SessionHost {
  readonly #chat: ChatPage;
  #environment: PageEnvironment;
  #tools: ToolsPanelState = toolsShown;
  /** Number of processed messages of the page. */
  #handled = 0;
  /** Actions removed by an undo, for Redo. */
  #undone: readonly ChangedFile[] = [];
  #queued = 0;

  constructor(chat: ChatPage, environment: PageEnvironment) {
    this.#chat = chat;
    this.#environment = environment;
  }

  /** Handles the page's messages since the last call. */
  async answer(): Promise<void> {
    for (let frames = true; ;) {
      const news = await this.#chat.sentAfter(this.#handled, frames);
      if (news.length === 0) return;
      this.#handled += news.length;
      for (const message of news) await this.#handle(message);
      frames = news.some(({ type }) => !PASSIVE.has(type));
    }
  }

  async #handle(message: PageMessage): Promise<void> {
    const answer = this.#answers[message.type] as ((to: PageMessage) => Answer) | undefined;
    const { actions = [], message: back } = answer?.(message) ?? {};
    if (actions.length > 0) await this.#chat.act(...actions);
    if (back) await this.#chat.post(back);
  }

  readonly #answers: Answers = {
    send: ({ text }) => ({ actions: this.#sent(text) }),
    stop: () => ({
      actions: [
        { type: 'stopRequested', at: NOON },
        { type: 'turnEnded', stopReason: 'cancelled', at: NOON },
      ],
    }),
    retry: () => ({ actions: [{ type: 'promptSent', text: 'again', blocks: [], at: NOON }] }),
    restartAgent: () => ({ actions: [{ type: 'connectionChanged', connection: { status: 'ready' } }] }),
    chooseOption: ({ id, value }) => ({ actions: [{ type: 'selectorsChanged', selectors: this.#chosen(id, value) }] }),
    findMentions: ({ id }) => ({ message: { type: 'mentions', id, mentions } }),
    attachFrom: () => ({ message: { type: 'attach', attachments: [LOG], remarks: [] } }),
    toggleFollow: () => {
      const follow = this.#environment.follow === 'following' ? 'off' : 'following';
      this.#environment = { ...this.#environment, follow };
      return { message: { type: 'environment', environment: this.#environment } };
    },
    stopCommand: ({ terminalId }) => ({ actions: [{ type: 'terminalExited', terminalId, code: 130, at: NOON }] }),
    answerPermission: ({ permissionId, optionId }) => ({ actions: this.#answered(permissionId, optionId) }),
    rememberPermission: ({ permissionId, scope }) => {
      const entry = this.#find((each) => each.kind === 'permission' && each.permissionId === permissionId);
      return { actions: [{ type: 'permissionRemembered', entry, remembered: { scope, rules: ['npm test'] } }] };
    },
    answerElicitation: ({ elicitationId, answer: { action } }) => {
      const entry = this.#find((each) => each.kind === 'elicitation' && each.elicitationId === elicitationId);
      const outcome = { type: action === 'accept' ? 'accepted' : 'declined' } as const;
      return { actions: [{ type: 'elicitationAnswered', entry, outcome }] };
    },
    changeQueued: ({ id, text }) => ({ actions: [{ type: 'queuedChanged', id, text, attachments: [] }] }),
    moveQueued: ({ id, to }) => ({ actions: [{ type: 'queuedMoved', id, to }] }),
    removeQueued: ({ id }) => ({ actions: [{ type: 'queuedTaken', id }] }),
    sendQueued: ({ id }) => ({ actions: this.#sentNow(id) }),
    resumeQueue: () => ({ actions: [{ type: 'queueResumed' }] }),
    keepFile: ({ path }) => ({ actions: this.#reviewed([path]) }),
    undoFile: ({ path }) => ({ actions: this.#reviewed([path]), message: { type: 'notice', notice: UNDONE } }),
    keepAll: () => ({ actions: this.#reviewed(this.#changed()) }),
    undoAll: () => ({ actions: this.#reviewed(this.#changed()), message: { type: 'notice', notice: UNDONE } }),
    keepDiff: () => ({ actions: this.#reviewed(['/work/src/upload.ts']) }),
    pressNotice: () => ({
      actions: [{ type: 'changesChanged', changed: this.#undone, removed: [] }],
      message: { type: 'notice' },
    }),
    restoreCheckpoint: ({ entry }) => ({ actions: [{ type: 'checkpointRestored', entry, undoId: 'u', at: NOON }] }),
    undoRestore: ({ undoId }) => ({ actions: [{ type: 'restoreUndone', undoId }] }),
    watchTools: () => ({ message: { type: 'tools', tools: this.#tools } }),
    switchTool: ({ tool: id, on }) => {
      const servers = this.#tools.servers.map((server) => ({
        ...server,
        tools: server.tools.map((tool) => (tool.id === id ? { ...tool, isOn: on } : tool)),
      }));
      this.#tools = { ...this.#tools, servers };
      return { message: { type: 'tools', tools: this.#tools } };
    },
  };

  #sent(text: string): readonly Action[] {
    if (this.#chat.state.turn.status !== 'running') return [{ type: 'promptSent', text, blocks: [], at: NOON }];
    return [{ type: 'messageQueued', message: { id: `q${this.#queued++}`, text, attachments: [], at: NOON } }];
  }

  #sentNow(id: string): readonly Action[] {
    const message = this.#chat.state.queue.messages.find((each) => each.id === id);
    return [
      { type: 'turnEnded', stopReason: 'cancelled', at: NOON },
      { type: 'queuedTaken', id },
      { type: 'promptSent', text: message?.text ?? '', blocks: [], at: NOON },
    ];
  }

  #chosen(id: string, value: string | boolean): readonly ConfigOption[] {
    return this.#chat.state.selectors.map((each) => {
      if (each.id !== id) return each;
      return each.kind === 'select' ? { ...each, value: String(value) } : { ...each, value: value === true };
    });
  }

  #answered(permissionId: string, optionId: string): readonly Action[] {
    const entry = this.#find((each) => each.kind === 'permission' && each.permissionId === permissionId);
    const status = optionId === 'no' ? 'rejected' : 'done';
    return [
      { type: 'permissionAnswered', entry, outcome: { type: 'selected', optionId }, at: NOON },
      { type: 'toolChanged', entry: entry - 1, patch: { status }, at: NOON },
    ];
  }

  #changed(): readonly string[] {
    return this.#chat.state.changes.map(({ path }) => path);
  }

  #reviewed(gone: readonly string[]): readonly Action[] {
    this.#undone = this.#chat.state.changes.filter(({ path }) => gone.includes(path));
    return [{ type: 'changesChanged', changed: [], removed: gone }];
  }

  /** Index of the last entry of this kind. */
  #find(matches: (entry: Entry) => boolean): number {
    const found = [...entriesFrom(this.#chat.state.entries)].findLast(([, entry]) => matches(entry));
    return found?.[0] ?? -1;
  }
}
