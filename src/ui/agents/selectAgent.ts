import * as vscode from 'vscode';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import { DEMO_AGENT } from '../../agent/config/agentSettings';
import type { AgentInstalls } from '../../agent/registry/agentInstalls';
import { t } from '../../base/l10n';
import type { EditApprovalMemory } from '../../permissions/editApprovalMemory';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type { Preset } from '../../shared/state/preset';
import type { Chat, UiSettings } from '../window';
import type { AgentItem, SelectedAgent } from './agentPickItems';
import { selectItems } from './agentPickItems';
import type { AgentInstaller } from './installAgent';
import { asQuickPick } from './installAgent';
import type { Presets } from './presets';
import { useAgent } from './useAgent';

/** Changes the agent of the shown chat, or opens a new chat if this one has messages. */
export async function selectAgent(
  sessions: Sessions,
  picker: AgentPicker,
  installAgent: AgentInstaller,
  presets: Presets,
  chat: Chat,
): Promise<void> {
  const { state } = sessions.active;
  const placeHolder =
    state.entries.count > 0 ? t('Select an agent to open a new chat') : t('Select an agent for this chat');
  const save: AgentItem<'savePreset'> = { label: t('$(save) Save as Preset…'), value: 'savePreset' };
  const others = { first: presets.items(), last: state.agent ? [{ label: t('This Chat') }, save] : [] };
  const texts = { title: t('Select Agent'), placeHolder };
  const value = await picker.pick<{ readonly preset: Preset } | 'savePreset'>(
    texts,
    picker.agents(),
    state.agent?.name,
    others,
  );
  if (value === undefined) return;
  if (value === 'install') await installAgent.show();
  else if (value === 'savePreset') await presets.save();
  else if ('preset' in value) await presets.use(value.preset, sessions.active);
  else if ('found' in value) await installAgent.add(value.found.id);
  else {
    const used = useAgent(sessions.active, value.name, (name) => sessions.newChat(name));
    await Promise.all([used, focusChat(chat, sessions.active)]);
  }
}

/** At once, since an agent may take long to start: the palette leaves the focus in the editor, where the message would be typed. */
async function focusChat(chat: Chat, session: Session): Promise<void> {
  const { page } = await chat.open(session);
  page.post({ type: 'focusComposer' });
}

/** Lets the user select one of the agents of the settings, or one that is on this machine. */
export class AgentPicker {
  constructor(
    private readonly settings: UiSettings,
    private readonly installs: AgentInstalls,
    private readonly editApprovals: EditApprovalMemory,
  ) {}

  agents(): readonly AgentDefinition[] {
    return this.settings.agents();
  }

  /**
   * Undefined when the user closed the list.
   * @param others rows before and after the agents
   */
  async pick<Other = never>(
    texts: { readonly title: string; readonly placeHolder: string },
    agents: readonly AgentDefinition[],
    current?: string,
    others: Readonly<Record<'first' | 'last', readonly AgentItem<Other>[]>> = { first: [], last: [] },
  ): Promise<SelectedAgent | Other | undefined> {
    const asksBeforeEdits = (name: string): boolean | undefined => this.editApprovals.asksBeforeEdits(name);
    const rows = selectItems(agents, this.installs.found(), current, DEMO_AGENT, asksBeforeEdits);
    const items = asQuickPick<SelectedAgent | Other>([...others.first, ...rows, ...others.last]);
    return (await vscode.window.showQuickPick(items, { ...texts, matchOnDetail: true }))?.value;
  }
}
