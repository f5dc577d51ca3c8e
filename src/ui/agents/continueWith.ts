import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Session } from '../../session/session';
import type { ChatPages } from '../chat/chatPages';
import type { UiDeps } from '../uiDeps';
import type { InstallAgent } from './installAgent';
import { pickAgent } from './selectAgent';

interface ContinueWithDeps extends Pick<UiDeps, 'sessions' | 'settings' | 'installs' | 'policy' | 'branches'> {
  readonly pages: Pick<ChatPages, 'current'>;
  /** @param use uses an agent that the user installed or added */
  createInstallAgent(use: (name: string) => Promise<void>): Pick<InstallAgent, 'show' | 'add'>;
}

/**
 * "Continue with…": continues with another agent, in a new session that has the conversation.
 * @param id Parley's id of the session; the session used last if undefined
 * @throws ParleyError with a sentence for the user
 */
export async function continueWith(deps: ContinueWithDeps, id: string | undefined): Promise<void> {
  const { sessions, settings, installs, policy } = deps;
  const source = id === undefined ? sessions.active : await sessions.open.load(id);
  requireContinuable(source);
  const use = (name: string): Promise<void> => continueAs(deps, source, name);
  const others = settings.agents().filter(({ name }) => name !== source.state.agent?.name);
  const placeHolder = t('Select an agent to continue this session in a new chat');
  const selected = await pickAgent(
    { title: t('Continue with…'), placeHolder },
    others,
    installs.found(),
    policy.editApprovals,
  );
  if (selected === undefined) return;
  if (selected === 'install') await deps.createInstallAgent(use).show();
  else if ('found' in selected) await deps.createInstallAgent(use).add(selected.found.id);
  else await use(selected.name);
}

function requireContinuable(source: Session | undefined): asserts source is Session {
  if (!source || source.state.entries.count === 0) {
    throw new ParleyError('notFound', t('Parley has no messages of this session.'), {
      nextStep: t('Open the session to load its messages into Parley, then try again.'),
    });
  }
  if (source.state.imported) {
    throw new ParleyError('badInput', t('This session is read-only.'), {
      nextStep: t('Use “Continue in New Chat” instead.'),
    });
  }
  if (source.state.turn.status === 'running') {
    throw new ParleyError('conflict', t('The agent is working. Stop it first, or wait until it finishes.'));
  }
}

async function continueAs(
  { pages, settings, branches }: ContinueWithDeps,
  source: Session,
  name: string,
): Promise<void> {
  const title = settings.agents().find((agent) => agent.name === name)?.title ?? name;
  const session = await (await branches.load()).continueWith(source.id, { name, title });
  const page = await pages.current.page.showChat(session);
  await page.reveal();
  page.post({ type: 'focusComposer' });
}
