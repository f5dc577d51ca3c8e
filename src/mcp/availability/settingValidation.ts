import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { problemText } from '../../base/settings';
import type { McpSettings, ToolFilterSettings } from './toolFilterSettings';
import type { ToolServers } from '../toolServerRegistry';
import { nameWarnings } from './settingWarnings';

/**
 * Looks through names and settings from the first session on: before that, extensions that add servers may not have been started, and a
 * rule for one of theirs would be called wrong. What is found is told whenever it changes.
 */
export class SettingValidation implements Disposable {
  readonly #servers: ToolServers;
  readonly #rules: ToolFilterSettings;
  readonly #settings: McpSettings;
  readonly #log: Logger;
  readonly #store = new DisposableStore();
  #isOn = false;
  #logged = '';

  constructor(servers: ToolServers, rules: ToolFilterSettings, settings: McpSettings, log: Logger) {
    this.#servers = servers;
    this.#rules = rules;
    this.#settings = settings;
    this.#log = log;
    for (const event of [settings.onDidChange, servers.onDidChange]) {
      this.#store.add(event(() => this.#isOn && this.look()));
    }
  }

  /** All that is wrong, in sentences. */
  warnings(): readonly string[] {
    return [...nameWarnings(this.#servers.list()), ...this.#rules.problems().map(problemText)];
  }

  /** A session asks for servers: all that add some had their time. */
  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.look();
  }

  /** Something else than settings and the list of servers has changed. */
  again(): void {
    if (this.#isOn) this.look();
  }

  look(): void {
    this.#settings.report(this.#rules.problems());
    const names = nameWarnings(this.#servers.list());
    const text = names.join('\n');
    if (text !== this.#logged) for (const sentence of names) this.#log.warn('mcp', sentence);
    this.#logged = text;
  }

  dispose(): void {
    this.#store.dispose();
  }
}
