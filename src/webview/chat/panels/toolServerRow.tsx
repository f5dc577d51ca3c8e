import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { firstLine } from '../../../base/text';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type {
  ServerMessageItem,
  ToolServerItem,
  ToolItem,
  ToolOrigin,
  ChangedToolItem as Changed,
} from '../../../shared/protocol/toolsPanelState';
import { Icon } from '../../controls/icon';
import { Switch } from '../../controls/switch';
import { Time } from '../../controls/timeOfDay';
import { TranslatedSentence } from '../../controls/translatedSentence';
import { usePage } from '../pageContext';
import { differingRange } from '../toolCalls/differingRange';

const ORIGINS: Readonly<Record<ToolOrigin, string | undefined>> = {
  builtIn: undefined,
  extension: t('from an extension'),
  person: t('from your configuration'),
  a2a: t('A2A agent'),
};

/**
 * A server with its switch and tools.
 * @param query filter text in lower case; all tools when empty
 */
export function ToolServerRow({ server, query }: { server: ToolServerItem; query: string }): JSX.Element | null {
  const unfolded = useSignal<boolean | undefined>(undefined);
  const id = useId();
  const tools = matchingTools(server, query);
  if (!tools) return null;
  const needsReview = countUndecided(server) > 0;
  const isOpen = query !== '' || (unfolded.value ?? needsReview);
  return (
    <li class="tool-server">
      <div class="tool-server-row">
        <button
          type="button"
          class="bar"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => (unfolded.value = !isOpen)}
        >
          <Icon name="chevron-right" class="chevron" />
          <span class="tool-server-title">{server.title}</span>
          {needsReview && <Icon name="warning" />}
          <span class="tool-server-state muted">{stateText(server)}</span>
        </button>
        {server.signIn === 'required' && <SignIn server={server} />}
        {server.needsSetup === true && <SetUp server={server} />}
        <ServerSwitch server={server} />
      </div>
      {isOpen && <Details server={server} tools={tools} id={id} />}
    </li>
  );
}

/** All tools if the server itself matches; undefined without a match. */
function matchingTools({ name, title, tools }: ToolServerItem, query: string): readonly ToolItem[] | undefined {
  if (`${name} ${title}`.toLowerCase().includes(query)) return tools;
  const matching = tools.filter((tool) => matchesQuery(tool, query));
  return matching.length === 0 ? undefined : matching;
}

/** Number of held-back tools. */
function countUndecided({ tools }: ToolServerItem): number {
  return tools.filter(({ changed }) => changed && !changed.isBlocked).length;
}

function SignIn({ server: { name } }: { server: ToolServerItem }): JSX.Element {
  const { post } = usePage();
  return (
    <button type="button" class="button small" onClick={() => post({ type: 'signInServer', server: name })}>
      {t('Sign In')}
    </button>
  );
}

function SetUp({ server: { name } }: { server: ToolServerItem }): JSX.Element {
  const { post } = usePage();
  return (
    <button type="button" class="button small" onClick={() => post({ type: 'setUpServer', server: name })}>
      {t('Set Up')}
    </button>
  );
}

function ServerSwitch({ server: { name, title, isOn } }: { server: ToolServerItem }): JSX.Element {
  const { post } = usePage();
  return (
    <Switch
      label={title}
      title={isOn ? t('Disable {0} in this workspace', name) : t('Enable {0} in this workspace', name)}
      isOn={isOn}
      onSwitch={(on) => post({ type: 'switchTools', server: name, on })}
    />
  );
}

/** The server's own reason first, since a unavailableReason server has no available tools; only its first line. */
function stateText(server: ToolServerItem): string {
  const { unavailableReason, state, isLate, isOutdated, origin } = server;
  const tools = server.tools.filter(({ isNoTool }) => !isNoTool);
  const available = tools.filter((tool) => tool.unavailableReason === undefined).length;
  const count = available === tools.length ? plural(tools.length) : t('{0} of {1}', available, plural(tools.length));
  // A server that waits for setup, sign-in or its start has not listed anything yet.
  const listed = tools.length === 0 && state !== undefined ? undefined : count;
  const changed = countUndecided(server);
  const parts = [
    ORIGINS[origin],
    unavailableReason ?? listed,
    state === unavailableReason ? undefined : state,
    changed === 0 ? undefined : t('{0} changed', changed),
    isLate === true ? t('available from your next message or session') : undefined,
    isOutdated === true ? t('the agent keeps the earlier tools until your next message or session') : undefined,
  ];
  return parts.flatMap((part) => (part === undefined ? [] : firstLine(part))).join(' · ');
}

function plural(count: number): string {
  return count === 1 ? t('1 tool') : t('{0} tools', count);
}

function Details({
  server,
  tools,
  id,
}: {
  server: ToolServerItem;
  tools: readonly ToolItem[];
  id: string;
}): JSX.Element {
  const { prompts = [], messages = [] } = server;
  return (
    <div class="tool-server-details" id={id}>
      <p class="muted">{server.description}</p>
      {server.state?.includes('\n') && <pre class="tool-server-tail">{server.state}</pre>}
      {server.signIn === 'done' && <SignOut server={server} />}
      <ul aria-label={t('Tools of {0}', server.title)}>
        {tools.map((tool) => (
          <ToolSwitchRow key={`${tool.id}${tool.changed?.hash ?? ''}`} server={server.name} tool={tool} />
        ))}
      </ul>
      {server.resources.length > 0 && (
        <p class="muted">
          <TranslatedSentence text={t('Resources: {0}')} parts={[<code>{server.resources.join(', ')}</code>]} />
        </p>
      )}
      {prompts.length > 0 && (
        <p class="muted">
          <TranslatedSentence text={t('Prompts: {0}')} parts={[<code>{prompts.join(' ')}</code>]} />
        </p>
      )}
      {messages.length > 0 && <ServerMessages title={server.title} messages={messages} />}
    </div>
  );
}

interface MessagesProps {
  readonly title: string;
  readonly messages: readonly ServerMessageItem[];
}

/** Newest first. The levels are MCP's words. */
function ServerMessages({ title, messages }: MessagesProps): JSX.Element {
  return (
    <ol class="server-messages" aria-label={t('Messages of {0}', title)}>
      {messages.map(({ level, text, at }) => (
        <li key={`${at} ${text}`}>
          <Icon name={levelIcon(level)} />
          <span class="muted">{level}</span>
          <span dir="auto">{text}</span>
          <Time at={at} />
        </li>
      ))}
    </ol>
  );
}

function levelIcon(level: ServerMessageItem['level']): string {
  if (level === 'warning') return level;
  return level === 'debug' || level === 'info' || level === 'notice' ? 'info' : 'error';
}

function SignOut({ server: { name } }: { server: ToolServerItem }): JSX.Element {
  const { post } = usePage();
  return (
    <p class="muted">
      <span>{t('You are signed in.')}</span>{' '}
      <button type="button" class="link-button" onClick={() => post({ type: 'signOutServer', server: name })}>
        {t('Sign Out')}
      </button>
    </p>
  );
}

function matchesQuery({ id, title, description }: ToolItem, query: string): boolean {
  return [id, title, description].some((text) => text.toLowerCase().includes(query));
}

/**
 * A tool with its switch, or why it is unavailable.
 * @param server its server's name
 */
function ToolSwitchRow({ server, tool }: { server: string; tool: ToolItem }): JSX.Element {
  const { post } = usePage();
  const { id, description, unavailableReason, isOn, changed } = tool;
  return (
    <li class={unavailableReason === undefined ? '' : 'withheld'}>
      <div class="offered-tool">
        <code>{escapeInvisibleInline(id)}</code>
        {unavailableReason !== undefined && <span class="muted">{t('unavailable: {0}', unavailableReason)}</span>}
        {isOn !== undefined && (
          <Switch
            label={escapeInvisibleInline(id)}
            title={isOn ? t('Disable {0} in this workspace', id) : t('Enable {0} in this workspace', id)}
            isOn={isOn}
            onSwitch={(on) => post({ type: 'switchTool', tool: id, on })}
          />
        )}
      </div>
      {description !== '' && (
        <p class="muted" title={description}>
          {description}
        </p>
      )}
      {changed && <ChangedToolRow server={server} tool={tool} changed={changed} />}
    </li>
  );
}

interface ChangedProps {
  readonly server: string;
  readonly tool: ToolItem;
  readonly changed: Changed;
}

/** Shows both definitions of a changed tool, which is held back until the user decides. */
function ChangedToolRow({ server, tool, changed }: ChangedProps): JSX.Element {
  const { post } = usePage();
  const { before, after, hash, isBlocked } = changed;
  const parts = differingRange(before, after);
  const isNew = before === '';
  const name = escapeInvisibleInline(tool.id);
  const decide = (isAccepted: boolean): void =>
    post({ type: 'decideTool', server, tool: tool.name, hash, accept: isAccepted });
  return (
    <div class="changed-tool" role="group" aria-label={isNew ? t('New: {0}', name) : t('Changed: {0}', name)}>
      <div class="changed-texts">
        {!isNew && <Side title={t('Previously accepted')} part={parts.before} isNew={false} />}
        <Side title={t('Current')} part={parts.after} isNew />
      </div>
      <div class="buttons">
        <button type="button" class="button small" onClick={() => decide(true)}>
          {t('Accept')}
        </button>
        {!isBlocked && (
          <button type="button" class="button small secondary" onClick={() => decide(false)}>
            {t('Block')}
          </button>
        )}
      </div>
    </div>
  );
}

interface SideProps {
  readonly title: string;
  /** Common prefix, difference, common suffix. */
  readonly part: readonly [string, string, string];
  readonly isNew: boolean;
}

function Side({ title, part: [start, middle, end], isNew }: SideProps): JSX.Element {
  return (
    <figure class="changed-side">
      <figcaption>{title}</figcaption>
      <pre dir="auto">
        {start}
        {middle !== '' && (isNew ? <ins>{middle}</ins> : <del>{middle}</del>)}
        {end}
      </pre>
    </figure>
  );
}
