import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { ShownServer, ShownTool, ToolOrigin } from '../../shared/tools';
import { usePage } from './context';
import { Icon } from './icon';

const ORIGINS: Readonly<Record<ToolOrigin, string | undefined>> = {
  builtIn: undefined,
  extension: 'from an extension',
  person: 'yours',
  a2a: 'A2A agent',
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
      title={isOn ? `Do not offer ${name} in this workspace` : `Offer ${name} in this workspace`}
      onClick={() => post({ type: 'switchTools', server: name, on: !isOn })}
    >
      <span class="switch-knob" aria-hidden="true" />
    </button>
  );
}

/** The server's own reason first: one that is withheld has no offered tools. */
function stateText({ withheld, state, isLate, tools, origin }: ShownServer): string {
  const offered = tools.filter((tool) => tool.withheld === undefined).length;
  const count = offered === tools.length ? plural(tools.length) : `${offered} of ${plural(tools.length)}`;
  const late = isLate === true ? 'from your next message or chat on' : undefined;
  return [ORIGINS[origin], withheld ?? count, state, late].filter((part) => part !== undefined).join(' · ');
}

function plural(count: number): string {
  return count === 1 ? '1 tool' : `${count} tools`;
}

function Details({ server, tools, id }: { server: ShownServer; tools: readonly ShownTool[]; id: string }): JSX.Element {
  return (
    <div class="tool-server-details" id={id}>
      <p class="muted">{server.description}</p>
      <ul aria-label={`Tools of ${server.title}`}>
        {tools.map((tool) => (
          <li key={tool.id} class={tool.withheld === undefined ? '' : 'withheld'}>
            <div class="offered-tool">
              <code>{tool.id}</code>
              {tool.withheld !== undefined && <span class="muted">not offered: {tool.withheld}</span>}
            </div>
            <p class="muted" title={tool.description}>
              {tool.description}
            </p>
          </li>
        ))}
      </ul>
      {server.resources.length > 0 && (
        <p class="muted">
          Documents: <code>{server.resources.join(', ')}</code>
        </p>
      )}
    </div>
  );
}

function matches({ id, title, description }: ShownTool, wanted: string): boolean {
  return [id, title, description].some((text) => text.toLowerCase().includes(wanted));
}
