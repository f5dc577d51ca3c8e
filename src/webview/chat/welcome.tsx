import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import type { AgentSummary } from '../../shared/protocol/chatPageProtocol';
import type { Attachment } from '../../shared/state/attachments';
import { Icon } from '../controls/icon';
import { lazyComponent } from './lazyComponent';
import { usePage } from './pageContext';

/** The page before the first message: a short introduction, the available agents, and suggestions. */
export function Welcome(): JSX.Element {
  const { store, post } = usePage();
  const { agents, found = [], whatsNew } = store.environment.value;
  const chosen = store.agent.value?.name;
  const own = agents.filter(({ builtIn }) => !builtIn);
  const builtIn = agents.filter((agent) => agent.builtIn);
  return (
    <div class="empty">
      {whatsNew !== undefined && <WhatsNewNote version={whatsNew} />}
      <h2>
        <Icon name="comment-discussion" class="empty-mark" />
        Parley
      </h2>
      <p>{t('Work with any Agent Client Protocol agent in VS Code.')}</p>
      <p class="muted">{t('Review every step. Approve what runs.')}</p>
      <Agents label={t('Agents')} agents={own} chosen={chosen} />
      <Agents label={t('Built in')} agents={builtIn} chosen={chosen} />
      {found.length > 0 && <FoundAgents found={found} />}
      <Notes />
      <div class="empty-more">
        <button type="button" class="button" onClick={() => post({ type: 'installAgent' })}>
          <Icon name="cloud-download" />
          {t('Install Agent…')}
        </button>
        <button type="button" class="link-button" onClick={() => post({ type: 'openWalkthrough' })}>
          {t('Get Started')}
        </button>
      </div>
      {/* Last: they appear when an agent is selected, and must not move the list under the pointer. */}
      <Suggestions scripted={builtIn.some(({ name }) => name === chosen)} />
    </div>
  );
}

const WhatsNewNote = lazyComponent(async () => (await import('./welcomeNotes')).WhatsNewNote);
const Notes = lazyComponent(async () => (await import('./welcomeNotes')).AgentNotes);

interface AgentsProps {
  readonly label: string;
  readonly agents: readonly AgentSummary[];
  readonly chosen: string | undefined;
}

function Agents({ label, agents, chosen }: AgentsProps): JSX.Element | null {
  const { post } = usePage();
  if (agents.length === 0) return null;
  return (
    <div class="agents" role="group" aria-label={label}>
      {agents.map((agent) => (
        <AgentButton
          key={agent.name}
          agent={agent}
          chosen={agent.name === chosen}
          onClick={() => post({ type: 'chooseAgent', name: agent.name })}
        />
      ))}
    </div>
  );
}

/** Suggested prompts, once an agent is selected. A click puts the prompt into the message box; the user sends it. */
function Suggestions({ scripted }: { readonly scripted: boolean }): JSX.Element | null {
  const { store, events } = usePage();
  if (!store.agent.value) return null;
  const suggestions = scripted ? [t('Show me what you can do')] : suggestionsFor(store.environment.value.editor);
  return (
    <div class="suggestions" role="group" aria-label={t('Try asking')}>
      {suggestions.map((text) => (
        <button key={text} type="button" class="suggestion" onClick={() => events.insertText.fire(text)}>
          {text}
        </button>
      ))}
    </div>
  );
}

/** @param editor the active editor's file or selection, which is attached to the message */
function suggestionsFor(editor: Attachment | undefined): readonly string[] {
  const project = t('Explain what this project does and how it is built');
  if (editor?.kind === 'lines')
    return [t('Explain the selected code'), t('Write tests for the selected code'), project];
  if (editor?.kind === 'active') return [t('Find bugs in the open file'), t('Write tests for the open file'), project];
  return [project, t('Find and fix the problems reported in the editor')];
}

/** Agents found on PATH, none of which was run. Selecting an agent asks for confirmation first. */
function FoundAgents({ found }: { found: readonly AgentSummary[] }): JSX.Element {
  const { post } = usePage();
  return (
    <div class="agents found" role="group" aria-label={t('Found on this machine')}>
      <h3 class="muted" aria-hidden="true">
        {t('Found on this machine')}
      </h3>
      {found.map((agent) => (
        <AgentButton
          key={agent.name}
          agent={agent}
          icon="add"
          onClick={() => post({ type: 'addAgent', name: agent.name })}
        />
      ))}
    </div>
  );
}

interface AgentButtonProps {
  readonly agent: AgentSummary;
  /** Set for an agent of the list. */
  readonly chosen?: boolean;
  /** Codicon for other buttons. */
  readonly icon?: string;
  readonly onClick: () => void;
}

/**
 * An agent in one line: its command is in the tooltip and the text for screen readers. The built-in agent shows its description, because
 * its name does not describe it.
 */
function AgentButton({ agent, chosen, icon, onClick }: AgentButtonProps): JSX.Element {
  const { title, description, builtIn } = agent;
  const sign = chosen ? 'check' : icon;
  return (
    <button type="button" class="agent-choice" aria-pressed={chosen} title={description} onClick={onClick}>
      <bdi class="agent-choice-title">{title}</bdi>
      <span class={builtIn ? 'agent-choice-note muted' : 'hidden-text'}>{description}</span>
      {sign !== undefined && <Icon name={sign} />}
    </button>
  );
}
