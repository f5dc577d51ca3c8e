import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Lazy } from '../../base/lazy';
import type { EditAndResend } from '../../session/commands/editAndResend';
import type { Session } from '../../session/session';
import type { Sessions } from '../../session/sessions';
import type { Chat, UiSettings } from '../window';
import type { AgentInstaller } from './installAgent';
import type { AgentPicker } from './selectAgent';

/** "Continue with…": continues with another agent, in a new session that has the conversation. */
export class ContinueWith {
  constructor(
    private readonly sessions: Sessions,
    private readonly settings: UiSettings,
    private readonly branches: Lazy<EditAndResend>,
    private readonly chat: Chat,
  ) {}

  /**
   * @param id Parley's id of the session; the session used last if undefined
   * @param createInstaller its argument uses an agent that the user installed or added
   * @throws ParleyError with a sentence for the user
   */
  async run(
    id: string | undefined,
    picker: AgentPicker,
    createInstaller: (use: (name: string) => Promise<void>) => AgentInstaller,
  ): Promise<void> {
    const source = id === undefined ? this.sessions.active : await this.sessions.open.load(id);
    requireContinuable(source);
    const use = (name: string): Promise<void> => this.#continueAs(source, name);
    const others = this.settings.agents().filter(({ name }) => name !== source.state.agent?.name);
    const placeHolder = t('Select an agent to continue this session in a new chat');
    const selected = await picker.pick({ title: t('Continue with…'), placeHolder }, others);
    if (selected === undefined) return;
    if (selected === 'install') await createInstaller(use).show();
    else if ('found' in selected) await createInstaller(use).add(selected.found.id);
    else await use(selected.name);
  }

  async #continueAs(source: Session, name: string): Promise<void> {
    const title = this.settings.agents().find((agent) => agent.name === name)?.title ?? name;
    const branches = await this.branches.load();
    const session = await branches.continueWith(source.id, { name, title });
    const page = await this.chat.current.page.showChat(session);
    await page.reveal();
    page.post({ type: 'focusComposer' });
  }
}

function requireContinuable(source: Session | undefined): asserts source is Session {
  if (!source || source.state.entries.count === 0) {
    throw new ParleyError('notFound', t('Parley has no messages of this session.'), {
      nextStep: t('Open the session to load its messages into Parley, then try again.'),
    });
  }
  if (source.state.imported) {
    throw new ParleyError('badInput', t('This session is read-only.'), {
      nextStep: t('Use “Continue in Another Chat” instead.'),
    });
  }
  if (source.state.turn.status === 'running') {
    throw new ParleyError('conflict', t('The agent is working. Stop it first, or wait until it finishes.'));
  }
}
