import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import type { AgentChoice } from '../../shared/messages';
import { usePage } from './context';
import { Icon } from './icon';

/** Before the first message: what this is, and who can answer. */
export function EmptyState(): JSX.Element {
  const { store, post } = usePage();
  const { agents, found = [], trusted } = store.surroundings.value;
  const chosen = store.agent.value?.name;
  return (
    <div class="empty">
      <Icon name="comment-discussion" class="empty-mark" />
      <h2>Parley</h2>
      <p>{t('Work with any Agent Client Protocol agent, right here in the editor.')}</p>
      <p class="muted">{t('You see every step and decide what may run.')}</p>
      {agents.length > 0 && (
        <div class="agents" role="group" aria-label={t('Agents')}>
          {agents.map((agent) => (
            <AgentButton key={agent.name} agent={agent} chosen={agent.name === chosen} />
          ))}
        </div>
      )}
      {found.length > 0 && <FoundAgents found={found} />}
      <button type="button" class="button" onClick={() => post({ type: 'installAgent' })}>
        <Icon name="cloud-download" />
        {t('Install Agent…')}
      </button>
      {!trusted && <Untrusted />}
    </div>
  );
}

/** What does not work in a workspace that nobody has trusted, and the way out (experience.md, section 10). */
function Untrusted(): JSX.Element {
  const { post } = usePage();
  return (
    <div class="untrusted">
      <p class="muted">
        <Icon name="workspace-untrusted" />
        <span>
          {t(
            'This workspace is not trusted. Your own agents can work here, without tool servers; what the workspace defines is ignored.',
          )}
        </span>
      </p>
      <button type="button" class="button" onClick={() => post({ type: 'manageTrust' })}>
        {t('Manage Trust')}
      </button>
    </div>
  );
}

/** Agents that lie on PATH. Choosing one asks first: nothing of them was run yet. */
function FoundAgents({ found }: { found: readonly AgentChoice[] }): JSX.Element {
  const { post } = usePage();
  return (
    <div class="agents found" role="group" aria-label={t('Found on this machine')}>
      <h3 class="muted" aria-hidden="true">
        {t('Found on this machine')}
      </h3>
      {found.map(({ name, title, description }) => (
        <button
          key={name}
          type="button"
          class="agent-choice"
          title={description}
          onClick={() => post({ type: 'addAgent', name })}
        >
          <span class="agent-choice-title">
            <bdi>{title}</bdi>
            <Icon name="add" />
          </span>
          <span class="agent-choice-path muted">
            <bdi>{description}</bdi>
          </span>
        </button>
      ))}
    </div>
  );
}

function AgentButton({ agent, chosen }: { agent: AgentChoice; chosen: boolean }): JSX.Element {
  const { post } = usePage();
  return (
    <button
      type="button"
      class="agent-choice"
      aria-pressed={chosen}
      onClick={() => post({ type: 'chooseAgent', name: agent.name })}
    >
      <span class="agent-choice-title">
        <bdi>{agent.title}</bdi>
        {chosen && <Icon name="check" />}
      </span>
      {agent.description !== '' && <span class="muted">{agent.description}</span>}
    </button>
  );
}
