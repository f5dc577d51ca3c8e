import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { t, formatFixed } from '../../../base/l10n';
import type { ToolsPanelState, ToolCallItem } from '../../../shared/protocol/toolsPanelState';
import { Icon, IconButton } from '../../controls/icon';
import { Time } from '../../controls/timeOfDay';
import { usePage } from '../pageContext';
import { ToolServerRow } from './toolServerRow';

export function ToolsPanel(): JSX.Element | null {
  const { store, post } = usePage();
  const { open, shown } = store.tools;
  const isOpen = open.value;
  useEffect(() => {
    if (!isOpen) return undefined;
    post({ type: 'watchTools', open: true });
    return () => post({ type: 'watchTools', open: false });
    // Another session, or a new page: request the state again.
  }, [isOpen, store.epoch.value]);
  if (!isOpen) return null;
  return <Panel shown={shown.value} onClose={() => (open.value = false)} />;
}

interface PanelProps {
  readonly shown: ToolsPanelState | undefined;
  readonly onClose: () => void;
}

function Panel({ shown, onClose }: PanelProps): JSX.Element {
  const page = usePage();
  const { post } = page;
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    box.current?.focus();
    // Handled wherever the focus is, because the chat below cannot have it.
    const onKeyDown = (event: KeyboardEvent): void => {
      // During composition Escape belongs to the input method.
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
      event.preventDefault();
      event.stopPropagation();
      onClose();
    };
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => {
      document.removeEventListener('keydown', onKeyDown, { capture: true });
      if (page.toolsOpener instanceof HTMLElement) page.toolsOpener.focus();
    };
  }, []);
  return (
    <section class="tools" role="region" aria-label={t('Tools')} tabIndex={-1} ref={box}>
      <div class="tools-head">
        <h2>{t('Tools')}</h2>
        <IconButton icon="refresh" label={t('Refresh Tools')} onClick={() => post({ type: 'refreshTools' })} />
        <IconButton icon="close" label={t('Close Tools')} onClick={onClose} />
      </div>
      <Waiting onShow={onClose} />
      {shown ? <ToolsPanelContent shown={shown} /> : <Loading />}
    </section>
  );
}

/** Placeholder lines. */
function Loading(): JSX.Element {
  return (
    <div class="tools-loading">
      <p class="hidden-text">{t('Loading tools…')}</p>
      <div class="line-to-come" />
      <div class="line-to-come" />
      <div class="line-to-come" />
    </div>
  );
}

/** Shown above the panel, which covers pending requests. */
function Waiting({ onShow }: { onShow: () => void }): JSX.Element | null {
  const { store, focusEntry } = useQuestion();
  if (store.request.value === undefined) return null;
  return (
    <p class="tools-note" role="status">
      <Icon name="bell" />
      <span>{t('The agent is waiting for you.')}</span>
      <button
        type="button"
        class="button small"
        onClick={() => {
          onShow();
          focusEntry();
        }}
      >
        {t('Show')}
      </button>
    </p>
  );
}

function useQuestion(): { store: ReturnType<typeof usePage>['store']; focusEntry: () => void } {
  const { store, events } = usePage();
  return {
    store,
    focusEntry: () => {
      const entry = store.request.peek();
      if (entry !== undefined) events.reveal.fire({ entry });
    },
  };
}

function ToolsPanelContent({ shown }: { shown: ToolsPanelState }): JSX.Element {
  const filter = useSignal('');
  const query = filter.value.trim().toLowerCase();
  return (
    <>
      <TransportNote shown={shown} />
      <Warnings warnings={shown.warnings} />
      <input
        type="search"
        class="tools-filter"
        aria-label={t('Filter tools')}
        placeholder={t('Filter tools')}
        value={filter.value}
        onInput={(event) => (filter.value = event.currentTarget.value)}
      />
      <ul class="tool-servers" aria-label={t('Tool servers')}>
        {shown.servers.map((server) => (
          <ToolServerRow key={server.name} server={server} query={query} />
        ))}
      </ul>
      <RecentToolCalls calls={shown.calls} />
    </>
  );
}

const TRANSPORT_TEXTS = {
  acp: t('Connected over the Agent Client Protocol.'),
  http: t('Connected over local HTTP, private to this agent.'),
  stdio: t('Connected over a stdio relay started by the agent.'),
} as const;

function TransportNote({ shown: { trusted, agent, transport } }: { shown: ToolsPanelState }): JSX.Element {
  const { post } = usePage();
  if (!trusted) {
    return (
      <p class="tools-note" role="status">
        <Icon name="workspace-untrusted" />
        <span>{t('This workspace is not trusted. Tool servers and MCP servers are unavailable to agents.')}</span>
        <button type="button" class="button small" onClick={() => post({ type: 'manageTrust' })}>
          {t('Manage Trust')}
        </button>
      </p>
    );
  }
  return <p class="tools-reach muted">{transportText(agent, transport)}</p>;
}

function transportText(agent: string | undefined, transport: ToolsPanelState['transport']): string {
  const name = agent ?? t('The agent');
  if (transport === undefined) return t('{0} receives the enabled tools when the session starts.', name);
  if (transport === 'none') {
    return t(
      '{0} runs on another machine or in a container and does not support MCP over the Agent Client Protocol. Only your public https servers are available to it. If it can reach this machine, set “mcp.transport” in its settings entry.',
      name,
    );
  }
  return TRANSPORT_TEXTS[transport];
}

function Warnings({ warnings }: { warnings: readonly string[] }): JSX.Element | null {
  const { post } = usePage();
  if (warnings.length === 0) return null;
  return (
    <div class="tools-warnings">
      <ul aria-label={t('Warnings')}>
        {warnings.map((warning) => (
          <li key={warning}>
            <Icon name="warning" />
            <span>{warning}</span>
          </li>
        ))}
      </ul>
      <button type="button" class="link-button" onClick={() => post({ type: 'openSettings' })}>
        {t('Open Settings')}
      </button>
    </div>
  );
}

/** Newest first. */
function RecentToolCalls({ calls }: { calls: readonly ToolCallItem[] }): JSX.Element {
  return (
    <div class="tool-calls">
      <h3>{t('Recent calls')}</h3>
      {calls.length === 0 ? (
        <p class="muted">{t('No calls in this session.')}</p>
      ) : (
        <ol aria-label={t('Recent calls')}>
          {calls.map((call) => (
            <Call key={call.number} call={call} />
          ))}
        </ol>
      )}
    </div>
  );
}

function Call({ call: { id, at, ms, isError } }: { call: ToolCallItem }): JSX.Element {
  return (
    <li class={isError ? 'failed' : ''}>
      <Icon name={isError ? 'error' : 'check'} />
      <code>{id}</code>
      <span class="hidden-text">{isError ? t('failed') : t('done')}</span>
      <span class="tool-call-time muted">
        <span>{duration(ms)}</span>
        <Time at={at} />
      </span>
    </li>
  );
}

/** `12 ms`, `3.4 s` */
function duration(ms: number): string {
  return ms < 1_000 ? t('{0} ms', ms) : t('{0} s', formatFixed(ms / 1_000, 1));
}
