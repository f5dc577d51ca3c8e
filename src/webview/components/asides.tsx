import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../base/l10n';
import type { CompactionEntry, RelayEntry } from '../../shared/updates';
import { compactionText } from '../../shared/words';
import { Blocks } from './blocks';
import { Icon } from './icon';
import { Markdown } from './prose';

/** The agent shortens its context: one muted line, the summary folded. */
export function Compaction({ entry }: { entry: CompactionEntry }): JSX.Element {
  const open = useSignal(false);
  const running = entry.status === 'in_progress';
  const folds = entry.text !== '' || entry.blocks.length > 0;
  const line = (
    <>
      <Icon name={running ? 'loading' : 'fold'} class={running ? 'spin' : ''} />
      <span>{compactionText(entry)}</span>
    </>
  );
  return (
    <article class="entry compaction" aria-label={t('Compaction')}>
      {folds ? (
        <button type="button" class="fold" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          <Icon name="chevron-right" class="chevron" />
          {line}
        </button>
      ) : (
        <span class="fold">{line}</span>
      )}
      {folds && open.value && (
        <div class="thought-body">
          <Markdown text={entry.text} finished={!running} />
          {entry.blocks.length > 0 && <Blocks blocks={entry.blocks} />}
        </div>
      )}
    </article>
  );
}

/** A message from one session to another. */
export function Relay({ entry }: { entry: RelayEntry }): JSX.Element {
  return (
    <article class="entry relay" aria-label={t('Message between agents')}>
      <p class="muted meta">
        <Icon name="mail" /> {relayTitle(entry)}
      </p>
      <Markdown text={entry.text} />
      {entry.blocks.length > 0 && <Blocks blocks={entry.blocks} />}
    </article>
  );
}

function relayTitle({ from, to }: RelayEntry): string {
  if (from !== undefined && to !== undefined) return t('Message from {0} to {1}', from, to);
  if (from !== undefined) return t('Message from {0}', from);
  return to === undefined ? t('Message') : t('Message to {0}', to);
}
