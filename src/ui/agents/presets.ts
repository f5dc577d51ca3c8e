import * as vscode from 'vscode';
import { ParleyError } from '../../base/errors';
import { omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import { tryParse } from '../../base/schema';
import { capitalize, truncate } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import { presetName } from '../../session/settings/presetSettings';
import { displayedValue, hasValue } from '../../shared/state/configOptionState';
import type { SavedOptions } from '../../shared/state/configOptionState';
import type { Preset } from '../../shared/state/preset';
import type { SessionState } from '../../shared/state/sessionState';
import { showInputBox } from '../../workbench/windowMessages';
import type { Chat, Notices, UiSettings } from '../window';
import type { AgentItem } from './agentPickItems';
import { presetItems } from './agentPickItems';
import { asQuickPick } from './installAgent';

const MAX_SHOWN_CHARS = 60;

/** The presets of `parley.presets`: chats that start with one, and the current chat as a new one. */
export class Presets {
  constructor(
    private readonly settings: UiSettings,
    private readonly sessions: Sessions,
    private readonly chat: Chat,
    private readonly notices: Notices,
  ) {}

  /** Rows of a list; each has a preset. */
  items(): readonly AgentItem<{ readonly preset: Preset }>[] {
    return presetItems(this.#all(), this.settings.agents());
  }

  /**
   * @param name the user selects a preset if undefined
   * @param session without messages; a new chat if undefined
   * @throws ParleyError with a sentence for the user
   */
  async choose(name?: string, session?: Session): Promise<void> {
    const preset = name === undefined ? await this.#pick() : this.#find(name);
    if (preset) await this.use(preset, session);
  }

  /**
   * @param session a new chat is opened if it has messages
   * @throws ParleyError when the preset's agent is not available
   */
  async use(preset: Preset, session?: Session): Promise<void> {
    if (!this.settings.agents().some(({ name }) => name === preset.agent)) throw unavailableAgentError(preset);
    const before = session?.state.preset?.prompt;
    const target = session?.state.entries.count === 0 ? session : this.sessions.newChat();
    // A failure becomes an entry of the chat.
    void target.choosePreset(preset);
    const { page } = await this.chat.open(target);
    page.post({ type: 'focusComposer' });
    const { prompt: text = '' } = preset;
    if (text === '' && before === undefined) return;
    page.post({ type: 'compose', text, attachments: [], send: false, ...omitUndefined({ replaces: before }) });
  }

  /**
   * "Save as Preset…": keeps the agent and the config options of the chat used last, and what else its preset has.
   * @throws ParleyError with a sentence for the user
   */
  async save(): Promise<void> {
    const { id, state } = this.sessions.active;
    const { agent, preset } = state;
    if (!agent) throw new ParleyError('agentNotFound', t('Select an agent first'));
    const name = await this.#promptForName(preset?.name ?? agent.title);
    if (name === undefined) return;
    const options = currentOptions(state);
    await this.settings.savePreset({ ...preset, name, agent: agent.name, ...(options && { options }) });
    const text = t('Saved the preset “{0}”.', shown(name));
    this.notices.show({ text, button: { label: t('Open Settings'), run: openPresetSettings } }, id);
  }

  async #promptForName(value: string): Promise<string | undefined> {
    const name = await showInputBox({
      title: t('Save as Preset'),
      prompt: t('Name of the preset. It keeps the agent and the options of this chat.'),
      value,
      validateInput: (text) => {
        const read = tryParse(presetName, text);
        if ('error' in read) return capitalize(read.error.message);
        if (!this.#all().some((preset) => preset.name === text.trim())) return undefined;
        return { message: t('Replaces the preset of this name.'), severity: vscode.InputBoxValidationSeverity.Info };
      },
    });
    return name?.trim();
  }

  async #pick(): Promise<Preset | undefined> {
    const items = this.items();
    if (items.length === 0)
      throw new ParleyError('notFound', t('There are no presets.'), {
        nextStep: t('Set up a chat, then use “Save as Preset…”, or add one to the setting parley.presets.'),
      });
    const options = { title: t('New Chat with Preset'), placeHolder: t('Select a preset'), matchOnDetail: true };
    return (await vscode.window.showQuickPick(asQuickPick(items), options))?.value?.preset;
  }

  #all(): readonly Preset[] {
    return this.settings.scoped('presets').user;
  }

  #find(name: string): Preset {
    const preset = this.#all().find((one) => one.name === name);
    if (preset) return preset;
    throw new ParleyError('notFound', t('There is no preset “{0}”.', shown(name)));
  }
}

async function openPresetSettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', 'parley.presets');
}

function unavailableAgentError({ name, agent }: Preset): ParleyError {
  const message = t('The preset “{0}” uses the agent “{1}”, which is not available.', shown(name), shown(agent));
  return new ParleyError('agentNotFound', message, {
    nextStep: t('Install the agent, or change the preset in your user settings.'),
  });
}

function shown(text: string): string {
  return escapeInvisibleInline(truncate(text, MAX_SHOWN_CHARS));
}

/** As the chat shows them; undefined where the agent has reported none. */
function currentOptions({ selectors, preset }: SessionState): SavedOptions | undefined {
  if (selectors.length === 0) return preset?.options;
  const known = selectors.map((option) => [option, displayedValue(option)] as const);
  return Object.fromEntries(known.flatMap(([option, value]) => (hasValue(option, value) ? [[option.id, value]] : [])));
}
