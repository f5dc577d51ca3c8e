import type { JSX } from 'preact';
import type { AgentChoice } from '../../shared/messages';
import { usePage } from './context';
import { Icon } from './icon';

/** Before the first message: what this is, and who can answer. */
export function EmptyState(): JSX.Element {
  const { store } = usePage();
  const { agents, trusted } = store.surroundings.value;
  const chosen = store.agent.value?.name;
  return (
    <div class="empty">
      <Icon name="comment-discussion" class="empty-mark" />
      <h2>Parley</h2>
      <p>Work with any Agent Client Protocol agent, right here in the editor.</p>
      <p class="muted">You see every step and decide what may run.</p>
      {agents.length > 0 && (
        <div class="agents" role="group" aria-label="Agents">
          {agents.map((agent) => (
            <AgentButton key={agent.name} agent={agent} chosen={agent.name === chosen} />
          ))}
        </div>
      )}
      {!trusted && (
        <p class="muted untrusted">
          <Icon name="workspace-untrusted" />
          This workspace is not trusted: agents that it defines are not started.
        </p>
      )}
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
