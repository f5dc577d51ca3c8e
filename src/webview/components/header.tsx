import type { JSX } from 'preact';
import { connectionText } from '../../shared/words';
import { usePage } from './context';
import { IconButton } from './icon';

/** Who answers, how they are, and what this conversation is about. */
export function Header(): JSX.Element {
  const { store, post } = usePage();
  const agent = store.agent.value;
  const connection = store.connection.value;
  const text = connectionText(agent, connection);
  // "Claude: ready" goes without saying: the dot says it, the rest is for those who do not see it.
  const quiet = agent !== undefined && (connection.status === 'ready' || connection.status === 'idle');
  const title = store.title.value;
  return (
    <header class="header">
      <span class={`dot ${agent ? connection.status : 'idle'}`} aria-hidden="true" />
      <span class="agent-name" role="status" aria-label="Agent" aria-live="off" title={text}>
        {quiet ? agent.title : text}
        {quiet && <span class="hidden-text">{text.slice(agent.title.length)}</span>}
      </span>
      <h1 class="session-title" title={title}>
        <bdi>{title}</bdi>
      </h1>
      <IconButton icon="add" label="New Chat" onClick={() => post({ type: 'newChat' })} />
    </header>
  );
}
