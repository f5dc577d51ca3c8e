import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import { toDisposable } from '../../base/lifecycle';
import type { ServerMessages } from '../contract/serverMessages';
import type {
  Described,
  Tool,
  ToolPrompt,
  ToolResource,
  ToolResourceTemplate,
  ToolServer,
} from '../contract/toolServerTypes';

export type ExtensionServerBase = Described & { readonly instructions?: string };

/** The server of one session. What connects is loaded with the first one, and fills this in. */
export class SessionInstance implements ToolServer {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly ready: Promise<void>;
  readonly didChange = new Emitter<void>();
  readonly didUpdate = new Emitter<string>();
  readonly onDidChange: Event<void> = this.didChange.event;
  readonly onDidUpdate: Event<string> = this.didUpdate.event;
  tools: readonly Tool[] = [];
  resources: readonly ToolResource[] = [];
  templates: readonly ToolResourceTemplate[] = [];
  listedPrompts: readonly ToolPrompt[] = [];
  messages?: ServerMessages;
  instructions: string;
  /** Closes the server; set before it is connected. */
  close: (() => void) | undefined;
  isClosed = false;

  /** @param open connects the server of the extension */
  constructor(
    { name, title, description, instructions = '' }: ExtensionServerBase,
    open: (instance: SessionInstance) => Promise<void>,
  ) {
    this.name = name;
    this.title = title;
    this.description = description;
    this.instructions = instructions;
    this.ready = open(this);
  }

  prompts(): readonly ToolPrompt[] {
    return this.listedPrompts;
  }

  /** Replaced when the server is connected. */
  watch: (uri: string) => Disposable = () => toDisposable(() => undefined);

  /** MCP `completion/complete`; no values from a server that completes nothing. */
  complete: (params: JsonObject) => Promise<JsonObject> = async () => ({ completion: { values: [] } });

  dispose(): void {
    this.isClosed = true;
    this.close?.();
    this.didChange.dispose();
    this.didUpdate.dispose();
  }
}
