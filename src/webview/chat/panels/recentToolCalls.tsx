import type { JSX } from 'preact';
import { formatFixed, t } from '../../../base/l10n';
import type { ToolCallItem } from '../../../shared/protocol/toolsPanelState';
import { Icon } from '../../controls/icon';
import { Time } from '../../controls/timeOfDay';

/** Newest first. */
export function RecentToolCalls({ calls }: { calls: readonly ToolCallItem[] }): JSX.Element {
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
