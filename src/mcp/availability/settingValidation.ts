import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { SettingProblem } from '../../base/settings';
import { settingProblemText } from '../../base/settings';
import type { ToolServers } from '../contract/toolServerRegistry';
import type { LazyUserServers } from '../contract/userServers';
import { nameWarnings } from './settingWarnings';
import type { ToolFilterSettings } from './toolFilterSettings';

/**
 * Checks names and settings from the first session on: earlier, extensions that add servers may not be active, and a rule for such a server
 * would be reported as wrong. Reports again whenever the result changes.
 */
export class SettingValidation implements Disposable {
  readonly #store = new DisposableStore();
  #isStarted = false;
  #logged = '';

  constructor(
    private readonly servers: ToolServers,
    private readonly rules: ToolFilterSettings,
    private readonly userServers: LazyUserServers,
    private readonly log: Logger,
  ) {
    for (const event of [rules.settings.onDidChange, servers.onDidChange])
      this.#store.add(event(() => this.#isStarted && this.validate()));
  }

  warnings(): readonly string[] {
    return [...nameWarnings(this.servers.list()), ...this.#problems().map(settingProblemText)];
  }

  /** Starts with the first session: by then extensions have added their servers, and the user's are loaded. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const userServers = this.userServers.value;
    if (userServers) this.#store.add(userServers.onDidReadSources(() => this.validate()));
    this.validate();
  }

  validate(): void {
    const problems = this.#problems();
    this.rules.settings.report(problems.filter(({ isNote }) => isNote !== true));
    const notes = problems.filter(({ isNote }) => isNote === true).map(settingProblemText);
    const logged = [...nameWarnings(this.servers.list()), ...notes];
    const text = logged.join('\n');
    if (text !== this.#logged) for (const sentence of logged) this.log.warn('mcp', sentence);
    this.#logged = text;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #problems(): readonly SettingProblem[] {
    const userServers = this.userServers.value;
    return [...(userServers?.problems() ?? []), ...this.rules.problems(userServers?.unknown() ?? [])];
  }
}
