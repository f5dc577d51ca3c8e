import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import { MAX_LISTED_PRESETS } from '../../shared/protocol/chatPageProtocol';
import type {
  AgentSummary,
  PageEnvironment,
  PresetSummary,
  RecentSession,
} from '../../shared/protocol/chatPageProtocol';
import { Icon } from '../controls/icon';
import { lazyComponent } from './lazyComponent';
import { usePage } from './pageContext';

const MAX_SUGGESTIONS = 3;

/** The page before the first message: the newest sessions or a short introduction, the available agents, and suggestions. */
export function Welcome(): JSX.Element {
  const { store, post } = usePage();
  const { agents, presets = [], found = [], recent = [], whatsNew } = store.environment.value;
  const chosen = store.agent.value?.name;
  const chosenAlone = store.preset.value ? undefined : chosen;
  const own = agents.filter(({ builtIn }) => !builtIn);
  const builtIn = agents.filter((agent) => agent.builtIn);
  return (
    <div class="empty">
      {whatsNew !== undefined && <WhatsNewNote version={whatsNew} />}
      {recent.length > 0 ? <RecentSessions recent={recent} /> : <Introduction />}
      {presets.length > 0 && <Presets presets={presets} />}
      <Agents label={t('Agents')} agents={own} chosen={chosenAlone} />
      <Agents label={t('Built in')} agents={builtIn} chosen={chosenAlone} />
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
const KnownAgentIcon = lazyComponent(async () => (await import('./knownAgentIcon')).KnownAgentIcon, 'soon');

function Introduction(): JSX.Element {
  return (
    <div class="introduction">
      <h2>
        <Icon name="comment-discussion" class="empty-mark" />
        Parley
      </h2>
      <p>{t('Work with any Agent Client Protocol agent in VS Code.')}</p>
      <p class="muted">{t('Review every step. Approve what runs.')}</p>
    </div>
  );
}

function RecentSessions({ recent }: { readonly recent: readonly RecentSession[] }): JSX.Element {
  const { store, post } = usePage();
  const { agents } = store.environment.value;
  return (
    <div class="agents recent" role="group" aria-label={t('Recent sessions')}>
      <h2 class="muted">
        {t('Recent sessions')}
        <button type="button" class="link-button" onClick={() => post({ type: 'openSession' })}>
          {t('Show all')}
        </button>
      </h2>
      {recent.map(({ id, title, agent, description }) => (
        <Choice
          key={id}
          title={title}
          note={description}
          agent={agents.find(({ name }) => name === agent)}
          onClick={() => post({ type: 'openSession', id })}
        />
      ))}
    </div>
  );
}

function Presets({ presets }: { readonly presets: readonly PresetSummary[] }): JSX.Element {
  const { store, post } = usePage();
  const { agents } = store.environment.value;
  return (
    <div class="agents presets" role="group" aria-label={t('Presets')}>
      <h2 class="muted">
        {t('Presets')}
        {presets.length > MAX_LISTED_PRESETS && (
          <button type="button" class="link-button" onClick={() => post({ type: 'choosePreset' })}>
            {t('Show all')}
          </button>
        )}
      </h2>
      {presets.slice(0, MAX_LISTED_PRESETS).map(({ name, agent: agentName }) => {
        const agent = agents.find((one) => one.name === agentName);
        return (
          <Choice
            key={name}
            title={escapeInvisibleInline(name)}
            note={agent?.title ?? t('{0} (not available)', escapeInvisibleInline(agentName))}
            agent={agent}
            chosen={name === store.preset.value?.name}
            onClick={() => post({ type: 'choosePreset', name })}
          />
        );
      })}
    </div>
  );
}

interface ChoiceProps {
  readonly title: string;
  readonly note: string;
  readonly agent: AgentSummary | undefined;
  /** Undefined for what cannot be selected. */
  readonly chosen?: boolean;
  readonly onClick: () => void;
}

function Choice({ title, note, agent, chosen, onClick }: ChoiceProps): JSX.Element {
  return (
    <button type="button" class="agent-choice" aria-pressed={chosen} title={`${title}\n${note}`} onClick={onClick}>
      <AgentIcon agent={agent} />
      <bdi class="agent-choice-title">{title}</bdi>
      <span class="agent-choice-note muted">{note}</span>
      {chosen && <Icon name="check" />}
    </button>
  );
}

/** The agent's own icon where the page has it. */
function AgentIcon({ agent }: { readonly agent: AgentSummary | undefined }): JSX.Element {
  if (agent?.builtIn) return <Icon name="comment-discussion" class="agent-icon" />;
  if (agent?.known === undefined) return <Icon name="robot" class="agent-icon" />;
  return (
    <span class="agent-icon">
      <KnownAgentIcon id={agent.known} />
    </span>
  );
}

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

/** Suggested prompts, once an agent would answer. A click puts the prompt into the message box; the user sends it. */
function Suggestions({ scripted }: { readonly scripted: boolean }): JSX.Element | null {
  const { store, events } = usePage();
  const isDemo = !store.agent.value && store.environment.value.noAgent === 'demo';
  if (!store.agent.value && !isDemo) return null;
  const suggestions = suggestionsFor(store.environment.value, scripted || isDemo);
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

/** @param scripted for the built-in agent, which knows one prompt */
function suggestionsFor({ editor, facts, folders }: PageEnvironment, scripted: boolean): readonly string[] {
  if (scripted || !folders) return [t('Show me what you can do')];
  const all: readonly (string | false | undefined)[] = [
    editor?.kind === 'lines' && t('Explain the selected code'),
    editor?.kind === 'lines' && t('Write tests for the selected code'),
    facts?.hasProblems && t('Find and fix the problems reported in the editor'),
    facts?.hasChanges && t('Review my uncommitted changes'),
    editor?.kind === 'active' && t('Find bugs in the open file'),
    editor?.kind === 'active' && t('Write tests for the open file'),
    t('Explain what this project does and how it is built'),
    t('Run the tests and fix what fails'),
    t('Find code that could be simpler'),
  ];
  return all.filter((text) => typeof text === 'string').slice(0, MAX_SUGGESTIONS);
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

/** An agent. Its command is in the tooltip and the text for screen readers; the sentence about the built-in agent is shown in full. */
function AgentButton({ agent, chosen, icon, onClick }: AgentButtonProps): JSX.Element {
  const { title, description, builtIn } = agent;
  const sign = chosen ? 'check' : icon;
  return (
    <button type="button" class="agent-choice" aria-pressed={chosen} title={description} onClick={onClick}>
      <AgentIcon agent={agent} />
      {builtIn ? (
        <span class="agent-choice-sentence">
          <bdi class="agent-choice-title">{title}</bdi> <span class="muted">{description}</span>
        </span>
      ) : (
        <>
          <bdi class="agent-choice-title">{title}</bdi> <span class="hidden-text">{description}</span>
        </>
      )}
      {sign !== undefined && <Icon name={sign} />}
    </button>
  );
}
