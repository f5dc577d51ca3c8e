import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { t } from '../../base/l10n';
import type { ShownServer, ShownTool, ToolOrigin } from '../../shared/tools';
import { usePage } from './context';
import { Icon } from './icon';
import { Sentence } from './sentence';

const ORIGINS: Readonly<Record<ToolOrigin, string | undefined>> = {
  builtIn: undefined,
  extension: t('from an extension'),
  person: t('yours'),
  a2a: t('A2A agent'),
};

/** A server with its switch and, opened, its tools. @param wanted shows only tools with this text, in lower case; all when empty */
export function ToolServerRow({ server, wanted }: { server: ShownServer; wanted: string }): JSX.Element | null {
  const unfolded = useSignal(false);
  const id = useId();
  const tools = server.tools.filter((tool) => matches(tool, wanted));
  if (wanted !== '' && tools.length === 0) return null;
  const isOpen = unfolded.value || wanted !== '';
  return (
    <li class="tool-server">
      <div class="tool-server-row">
        <button
          type="button"
          class="bar"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => (unfolded.value = !unfolded.value)}
        >
          <Icon name="chevron-right" class="chevron" />
          <span class="tool-server-title">{server.title}</span>
          <span class="tool-server-state muted">{stateText(server)}</span>
        </button>
        <Switch server={server} />
      </div>
      {isOpen && <Details server={server} tools={tools} id={id} />}
    </li>
  );
}

function Switch({ server: { name, title, isOn } }: { server: ShownServer }): JSX.Element {
  const { post } = usePage();
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-label={title}
      aria-checked={isOn}
      title={isOn ? t('Do not offer {0} in this workspace', name) : t('Offer {0} in this workspace', name)}
      onClick={() => post({ type: 'switchTools', server: name, on: !isOn })}
    >
      <span class="switch-knob" aria-hidden="true" />
    </button>
  );
}

/** The server's own reason first: one that is withheld has no offered tools. */
function stateText({ withheld, state, isLate, tools, origin }: ShownServer): string {
  const offered = tools.filter((tool) => tool.withheld === undefined).length;
  const count = offered === tools.length ? plural(tools.length) : t('{0} of {1}', offered, plural(tools.length));
  const late = isLate === true ? t('from your next message or chat on') : undefined;
  return [ORIGINS[origin], withheld ?? count, state, late].filter((part) => part !== undefined).join(' · ');
}

function plural(count: number): string {
  return count === 1 ? t('1 tool') : t('{0} tools', count);
}

function Details({ server, tools, id }: { server: ShownServer; tools: readonly ShownTool[]; id: string }): JSX.Element {
  return (
    <div class="tool-server-details" id={id}>
      <p class="muted">{server.description}</p>
      <ul aria-label={t('Tools of {0}', server.title)}>
        {tools.map((tool) => (
          <li key={tool.id} class={tool.withheld === undefined ? '' : 'withheld'}>
            <div class="offered-tool">
              <code>{tool.id}</code>
              {tool.withheld !== undefined && <span class="muted">{t('not offered: {0}', tool.withheld)}</span>}
            </div>
            <p class="muted" title={tool.description}>
              {tool.description}
            </p>
          </li>
        ))}
      </ul>
      {server.resources.length > 0 && (
        <p class="muted">
          <Sentence text={t('Documents: {0}')} parts={[<code>{server.resources.join(', ')}</code>]} />
        </p>
      )}
    </div>
  );
}

function matches({ id, title, description }: ShownTool, wanted: string): boolean {
  return [id, title, description].some((text) => text.toLowerCase().includes(wanted));
}
