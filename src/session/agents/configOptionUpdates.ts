import { isCancellation, errorMessage, errorSentences } from '../../base/errors';
import { asObject } from '../../base/json';
import { MAX_ERROR_CHARS } from '../../base/jsonRpc';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { withFullStop } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { hasValue, displayedValue } from '../../shared/state/configOptionState';
import type { SavedOptions, ConfigOption } from '../../shared/state/configOptionState';
import type { Preset } from '../../shared/state/preset';
import type { Action } from '../../shared/state/sessionActions';
import type { ErrorAction } from '../../shared/state/sessionState';
import type { SessionModel } from '../sessionModel';
import { setOptionRequest, toConfigOptions } from '../translate/translateConfigOptions';
import type { AgentSessionBinding } from './agentSessionBinding';
import { findValue, missingValueText } from './presetOptions';
import { isAboutSignIn } from './signInFlow';

/**
 * Sends the user's config option values to the agent. A value shows at once and is reverted when refused. Of several values for one option
 * only the newest counts, in whatever order responses arrive. An accepted value is set again after a restart, since agents forget modes
 * and models, unless the agent itself has changed it.
 */
export class ConfigOptionUpdates {
  /** Sequence number of the newest value of each option. */
  readonly #newest = new Map<string, number>();
  #count = 0;
  /** Sequence number of the newest value whose response contained a complete list. */
  #answerCount = 0;
  #isOpening = false;
  /** The agent has reported its options since it started. */
  #isReported = false;
  #again: Promise<void> = Promise.resolve();
  /** What the last notice about the preset named. */
  #namedMissing = '';

  constructor(
    private readonly model: SessionModel,
    private readonly binding: AgentSessionBinding,
    private readonly log: Logger,
  ) {}

  /** Never rejects; a refusal becomes a notice. An unknown value is ignored. */
  async choose(id: string, value: string | boolean): Promise<void> {
    const configOption = this.#find(id);
    if (!configOption || !hasValue(configOption, value) || displayedValue(configOption) === value) return;
    const number = ++this.#count;
    this.#newest.set(id, number);
    this.model.dispatch({ type: 'selectorChosen', id, value });
    try {
      await this.#request(configOption, value, number);
    } catch (error) {
      this.#showRefusal(configOption, value, error, number);
    }
  }

  /**
   * The session was opened or resumed.
   * @param selectors undefined if the response has none
   * @param isNew the agent does not have the values of the session's preset yet
   */
  applyInitial(selectors: readonly ConfigOption[] | undefined, isNew: boolean): void {
    const { preset, choices: stored = {} } = this.model.state;
    const isComplete = !selectors && (this.#isReported || this.model.state.selectors.length === 0);
    if (!isComplete) {
      this.#isOpening = true;
      this.model.dispatch({ type: 'selectorsChanged', selectors: selectors ?? [] });
      this.#isOpening = false;
    }
    if (isNew && preset?.options) this.#again = this.#choosePreset(preset, preset.options, stored);
    else if (!isComplete) this.#again = this.#chooseAgain(stored);
  }

  /** Settles when the stored values are set again or refused. */
  async waitUntilSet(): Promise<void> {
    await this.#again;
  }

  /** Drops a stored value when the agent itself has changed it. */
  apply(action: Action): void {
    if (action.type === 'selectorsChanged') this.#isReported = true;
    else if (action.type === 'connectionChanged' && action.connection.status !== 'ready') this.#isReported = false;
    const kept = this.model.state.choices;
    if (action.type !== 'selectorsChanged' || this.#isOpening || !kept) return;
    const left = Object.entries(kept).filter(([id, value]) => {
      const configOption = this.#newest.has(id) ? undefined : this.#find(id);
      return !configOption || configOption.value === value;
    });
    if (left.length < Object.keys(kept).length) this.#save(Object.fromEntries(left));
  }

  /** One after the other: an option's values may depend on an earlier option (OpenCode: model and effort). */
  async #chooseAgain(stored: SavedOptions): Promise<void> {
    for (const [id, value] of Object.entries(stored)) {
      // The user has set another value meanwhile.
      if (!this.#newest.has(id)) await this.choose(id, value);
    }
  }

  /**
   * Sets the values of the preset that the agent has, in their order: one can bring other options. Names the others in a notice.
   * @param stored values that the user has selected since
   */
  async #choosePreset({ name }: Preset, options: SavedOptions, stored: SavedOptions): Promise<void> {
    const bound = this.binding.current;
    let left = Object.entries(options);
    for (;;) {
      const { selectors } = this.model.state;
      const next = left.find((entry) => findValue(entry, selectors));
      const found = next && findValue(next, selectors);
      if (!found) break;
      left = left.filter((entry) => entry !== next);
      if (!Object.hasOwn(stored, found.id) && !this.#newest.has(found.id)) await this.choose(found.id, found.value);
      // Another agent or preset was selected.
      if (this.binding.current !== bound) return;
    }
    await this.#chooseAgain(stored);
    const { selectors } = this.model.state;
    this.#nameMissing(name, left.map((entry) => missingValueText(entry, selectors)).join(' '));
  }

  #nameMissing(preset: string, missing: string): void {
    if (missing === '' || missing === this.#namedMissing) return;
    this.#namedMissing = missing;
    this.model.showNotice(
      'warning',
      t('Some options of the preset “{0}” were not set', escapeInvisibleInline(preset)),
      missing,
    );
  }

  #save(choices: SavedOptions): void {
    this.model.dispatch({ type: 'choicesKept', choices });
  }

  async #request(configOption: ConfigOption, value: string | boolean, number: number): Promise<void> {
    const model = this.model;
    const { link, agentSessionId } = await this.binding.ensureBound(this.binding.agentName());
    const { method, params } = setOptionRequest(agentSessionId, configOption, value);
    await link.connection.request(method, params, {
      // In wire order: a later update overrides the response (I3).
      onSettled: (outcome) => {
        const isClosed = link.isAlive && model.state.agentSession?.id !== agentSessionId;
        // Another agent or preset was selected meanwhile: its session has values of its own.
        if (isClosed && this.#newest.get(configOption.id) === number) this.#newest.delete(configOption.id);
        else if (!isClosed && 'result' in outcome) this.#onAccepted(configOption, value, number, outcome.result);
      },
    });
  }

  #onAccepted(configOption: ConfigOption, value: string | boolean, number: number, result: unknown): void {
    const { model } = this;
    const list = asObject(result)?.['configOptions'];
    // The response contains all options as of this value; skipped if a newer response was applied.
    if (Array.isArray(list) && number > this.#answerCount) {
      this.#answerCount = number;
      const selectors = toConfigOptions(list, (text) => this.log.warn('session', text));
      model.dispatch({ type: 'selectorsChanged', selectors });
    }
    const isLast = this.#settle(configOption.id, number, Array.isArray(list) ? undefined : value);
    if (!isLast || this.#find(configOption.id)?.value !== value) return;
    // The new value comes last: values are set again in this order.
    const { [configOption.id]: _before, ...others } = model.state.choices ?? {};
    this.#save({ ...others, [configOption.id]: value });
  }

  #showRefusal(configOption: ConfigOption, value: string | boolean, error: unknown, number: number): void {
    this.log.warn('session', `Failed to change config option "${configOption.name}": ${errorMessage(error)}`);
    if (!this.#settle(configOption.id, number, undefined) || isCancellation(error)) return;
    this.#deleteSaved(configOption.id, value);
    const title = t('{0} was not changed', configOption.name);
    const remedies: readonly ErrorAction[] = isAboutSignIn(error) ? ['signIn', 'showLog'] : ['showLog'];
    const isCut = errorMessage(error).length >= MAX_ERROR_CHARS;
    if (!isCut && remedies.length === 1) return this.model.showNotice('warning', title, errorMessage(error));
    const message = `${withFullStop(title)} ${errorSentences(error)}`;
    this.model.dispatch({ type: 'errorShown', message, remedies, at: this.model.now() });
  }

  /** A refused value is not set again on the next start. */
  #deleteSaved(id: string, value: string | boolean): void {
    const { [id]: stored, ...others } = this.model.state.choices ?? {};
    if (stored === value) this.#save(others);
  }

  /** False when the user has set another value since. */
  #settle(id: string, number: number, value: string | boolean | undefined): boolean {
    if (this.#newest.get(id) !== number) return false;
    this.#newest.delete(id);
    this.model.dispatch({ type: 'choiceSettled', id, ...(value !== undefined && { value }) });
    return true;
  }

  #find(id: string): ConfigOption | undefined {
    return this.model.state.selectors.find((configOption) => configOption.id === id);
  }
}
