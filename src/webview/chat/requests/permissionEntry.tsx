import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../../../base/l10n';
import { capitalized } from '../../../base/text';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { PermissionEntry, PermissionOption, ToolEntry } from '../../../shared/state/toolCallState';
import { usePage } from '../pageContext';
import { Icon } from '../../controls/icon';
import { lazyComponent } from '../../controls/lazyComponent';
import { PendingPermission } from './pendingPermission';

const Remembered = lazyComponent(async () => (await import('./rememberedAnswer')).RememberedAnswer, 'soon');

interface PermissionProps {
  readonly entry: PermissionEntry;
  /** Directly below its tool call. */
  readonly follows: boolean;
}

/** A permission request; one line once it is answered. */
export function PermissionView({ entry, follows }: PermissionProps): JSX.Element {
  const { store } = usePage();
  const above = useComputed(() => {
    const tool = follows ? store.entry(entry.tool)?.value.value : undefined;
    return tool?.kind === 'tool' ? tool : undefined;
  }).value;
  const step = above?.title;
  const answered = entry.outcome !== undefined;
  // Hides the title that the tool call already shows; the two may differ, as agents rename either.
  const under = step !== undefined && (step === entry.title || (answered && entry.title.endsWith(`/${step}`)));
  return answered ? (
    <Answered entry={entry} under={under} merged={under && isSaidAbove(entry, above)} />
  ) : (
    <PendingPermission entry={entry} under={under} />
  );
}

interface AnsweredProps {
  readonly entry: PermissionEntry;
  readonly under: boolean;
  /** The text is only for screen readers, because the row of the tool call shows the same. */
  readonly merged: boolean;
}

/** Whether the tool call above already shows the answer: a rejected call is one line whose status is the answer. */
function isSaidAbove({ outcome, remembered }: PermissionEntry, tool: ToolEntry | undefined): boolean {
  return tool?.status === 'rejected' && outcome?.type === 'selected' && outcome.by !== 'rule' && !remembered;
}

function Answered({ entry, under, merged }: AnsweredProps): JSX.Element {
  const { icon, text, option } = verdict(entry);
  const title = escapeInvisibleInline(entry.title);
  const place = merged ? 'merged' : under ? 'under' : '';
  const byRule = entry.outcome?.type === 'selected' && entry.outcome.by === 'rule';
  return (
    <div
      class={`entry permission answered ${byRule ? 'by-rule' : ''} ${place}`}
      role="group"
      aria-label={t('Permission: {0}', title)}
      tabIndex={-1}
    >
      {!merged && <Icon name={icon} />}
      <bdi class={under ? 'hidden-text' : 'permission-title'} title={title}>
        {title}
      </bdi>
      <bdi class={merged ? 'hidden-text' : 'permission-verdict'} title={option}>
        {text}
      </bdi>
      {!byRule && entry.outcome?.type === 'selected' && <Remembered entry={entry} />}
    </div>
  );
}

interface Verdict {
  readonly icon: string;
  readonly text: string;
  /** Name of the selected option, where the text is another one. */
  readonly option?: string;
}

function verdict({ outcome, options }: PermissionEntry): Verdict {
  if (outcome?.type !== 'selected') return { icon: 'circle-slash', text: t('Canceled: {0}', outcome?.reason ?? '') };
  const option = options.find((each) => each.optionId === outcome.optionId);
  const rejected = isRejecting(option);
  const icon = rejected ? 'close' : 'check';
  if (outcome.by === 'rule') return { icon, text: sentence(outcome.reason ?? t('{0} by rule', verb(rejected))) };
  const name = escapeInvisibleInline(option?.name ?? outcome.optionId);
  if (rejected) return { icon, text: t('Rejected'), option: name };
  // Of several options that allow once, such as two ways to go on with a plan, only the name tells which.
  const isOnlyOne = options.filter(({ kind }) => kind === 'allow_once').length === 1;
  return option?.kind === 'allow_once' && isOnlyOne
    ? { icon, text: t('Allowed once'), option: name }
    : { icon, text: name };
}

function isRejecting(option: PermissionOption | undefined): boolean {
  return option?.kind === 'reject_once' || option?.kind === 'reject_always';
}

function verb(rejected: boolean): string {
  return rejected ? t('Rejected') : t('Allowed');
}

function sentence(text: string): string {
  return capitalized(escapeInvisibleInline(text));
}
