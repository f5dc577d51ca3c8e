import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { isObject } from '../../../base/json';
import { t } from '../../../base/l10n';
import { capitalize, withFullStop } from '../../../base/text';
import { escapeInvisibleInline, escapeInvisible } from '../../../base/untrustedText';
import type { PermissionEntry, PermissionOption, ToolEntry } from '../../../shared/state/toolCallState';
import { COMMAND_FIELDS, commandText, planText, toolCommand, toolCwd } from '../../../shared/text/toolInput';
import { CollapsibleText, prettyJson } from '../../controls/collapsibleText';
import { Icon } from '../../controls/icon';
import { useClickGuard } from '../../controls/useClickGuard';
import { lazyComponent } from '../lazyComponent';
import { usePage } from '../pageContext';
import { Markdown } from '../text/markdownText';
import { DiffCard, FileLocationLink } from '../toolCalls/diffCard';
import { ToolCallContent } from '../toolCalls/toolCallContent';
import { resultText } from '../toolCalls/toolCallFields';
import { useAnswerKeys } from './useAnswerKeys';

const RejectReason = lazyComponent(async () => (await import('./rejectReason')).RejectReason, 'soon');
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
  const isAnswered = entry.outcome !== undefined;
  // Hides the title that the tool call already shows; the two may differ, as agents rename either.
  const under = step !== undefined && (step === entry.title || (isAnswered && entry.title.endsWith(`/${step}`)));
  return isAnswered ? (
    <AnsweredPermission entry={entry} under={under} merged={under && isShownByToolCall(entry, above)} />
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
function isShownByToolCall({ outcome, remembered }: PermissionEntry, tool: ToolEntry | undefined): boolean {
  return tool?.status === 'rejected' && outcome?.type === 'selected' && outcome.by !== 'rule' && !remembered;
}

function AnsweredPermission({ entry, under, merged }: AnsweredProps): JSX.Element {
  const { icon, text, option } = outcomeText(entry);
  const title = escapeInvisibleInline(entry.title);
  const variant = merged ? 'merged' : under ? 'under' : '';
  const isByRule = entry.outcome?.type === 'selected' && entry.outcome.by === 'rule';
  return (
    <div
      class={`entry permission answered ${isByRule ? 'by-rule' : ''} ${variant}`}
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
      {!isByRule && entry.outcome?.type === 'selected' && <Remembered entry={entry} />}
    </div>
  );
}

interface OutcomeText {
  readonly icon: string;
  readonly text: string;
  /** Name of the selected option, where the text is another one. */
  readonly option?: string;
}

function outcomeText({ outcome, options }: PermissionEntry): OutcomeText {
  if (outcome?.type !== 'selected') return { icon: 'circle-slash', text: t('Canceled: {0}', outcome?.reason ?? '') };
  const option = options.find((each) => each.optionId === outcome.optionId);
  const isRejected = isRejecting(option);
  const icon = isRejected ? 'close' : 'check';
  if (outcome.by === 'rule') return { icon, text: sentence(outcome.reason ?? t('{0} by rule', verb(isRejected))) };
  const name = escapeInvisibleInline(option?.name ?? outcome.optionId);
  if (isRejected) return { icon, text: t('Rejected'), option: name };
  // Of several options that allow once, such as two ways to go on with a plan, only the name tells which.
  const isOnlyOne = options.filter(({ kind }) => kind === 'allow_once').length === 1;
  return option?.kind === 'allow_once' && isOnlyOne
    ? { icon, text: t('Allowed once'), option: name }
    : { icon, text: name };
}

function isRejecting(option: PermissionOption | undefined): boolean {
  return option?.kind === 'reject_once' || option?.kind === 'reject_always';
}

function verb(isRejected: boolean): string {
  return isRejected ? t('Rejected') : t('Allowed');
}

function sentence(text: string): string {
  return capitalize(escapeInvisibleInline(text));
}

interface QuestionProps {
  readonly entry: PermissionEntry;
  /** Attached to its tool call, which shows the title. */
  readonly under: boolean;
}

/** A pending permission: the action, the reason, and the agent's options unchanged. */
function PendingPermission({ entry, under }: QuestionProps): JSX.Element {
  const { store, post, events } = usePage();
  const { about } = entry;
  // Disables the buttons for a moment, because they may move to where the user has just clicked.
  const [guarded, guard] = useClickGuard(store.request.value);
  const answer = (option: PermissionOption | undefined): void => {
    if (!option || guarded) return;
    guard();
    post({ type: 'answerPermission', permissionId: entry.permissionId, optionId: option.optionId });
    // The button disappears.
    events.focusComposer.fire();
  };
  const group = useRef<HTMLDivElement>(null);
  const takesKeys = useAnswerKeys(group, entry.options, answer);
  const editPlan = (): void => post({ type: 'editPlan', permissionId: entry.permissionId });
  // An edited plan rejects the agent's.
  const canEditPlan = entry.options.some(({ kind }) => kind === 'reject_once');
  const title = escapeInvisibleInline(entry.title);
  const reasons = <Reasons entry={entry} />;
  // The reasons stand above a whole input: below a long one, nobody would see them.
  const isUnusual = entry.why ? entry.showsInput : false;
  return (
    <div class={under ? 'entry permission under' : 'entry permission'}>
      <div
        class={takesKeys ? 'question takes-keys' : 'question'}
        role="group"
        aria-label={t('Permission: {0}', title)}
        tabIndex={-1}
        ref={group}
      >
        <p class={under ? 'hidden-text' : 'question-title'}>
          <Icon name="shield" />
          <bdi>{title}</bdi>
        </p>
        {isUnusual && reasons}
        {under && <LongTitle entry={entry} />}
        {about && <Subject tool={about} whole={entry.showsInput} onEditPlan={canEditPlan ? editPlan : undefined} />}
        {!isUnusual && reasons}
        <Options entry={entry} guarded={guarded} onAnswer={answer} />
      </div>
    </div>
  );
}

/** UTF-16 units of a title that the row above the card shows at every width. */
const MAX_ROW_TITLE = 120;

/** The whole of a long title where nothing else in the card names the action; the row above shows its beginning. */
function LongTitle({ entry: { title, about } }: { entry: PermissionEntry }): JSX.Element | null {
  if (title.length <= MAX_ROW_TITLE || toolCommand(about?.rawInput) !== undefined) return null;
  return (
    <div class="whole-title">
      <CollapsibleText text={escapeInvisible(title)} />
    </div>
  );
}

function Reasons({ entry: { about, why, destructive } }: { entry: PermissionEntry }): JSX.Element {
  return (
    <>
      {destructive !== undefined && (
        <p class="destructive" dir="auto">
          <Icon name="warning" />
          <span>
            <strong>{t('Destructive:')}</strong> {escapeInvisible(destructive)}
          </span>
        </p>
      )}
      <p class="why muted" dir="auto">
        {why === undefined ? question(about) : withFullStop(capitalize(escapeInvisible(why)))}
      </p>
    </>
  );
}

function question(about: ToolEntry | undefined): string {
  if (about?.tool === 'execute') return t('Allow this command?');
  if (about?.tool === 'edit') return t('Allow this edit?');
  return t('Allow this action?');
}

interface OptionsProps {
  readonly entry: PermissionEntry;
  readonly guarded: boolean;
  readonly onAnswer: (option: PermissionOption) => void;
}

function Options({ entry, guarded, onAnswer }: OptionsProps): JSX.Element {
  const { options, destructive } = entry;
  // An irreversible action is never the primary button.
  const primary =
    destructive === undefined
      ? options.find(({ kind }) => kind === 'allow_once' || kind === 'allow_always')
      : undefined;
  return (
    <div class="buttons">
      {options.map((option, index) => (
        <button
          key={option.optionId}
          type="button"
          class={option === primary ? 'button primary' : 'button'}
          aria-disabled={guarded}
          aria-keyshortcuts={index < 9 ? String(index + 1) : undefined}
          onClick={() => onAnswer(option)}
        >
          <bdi>{escapeInvisibleInline(option.name)}</bdi>
          {index < 9 && <kbd aria-hidden="true">{index + 1}</kbd>}
        </button>
      ))}
      {/* The agent's next message does not reach another program that asks. */}
      {!entry.titleNamesCaller && <Explain permissionId={entry.permissionId} guarded={guarded} />}
    </div>
  );
}

interface ExplainProps {
  readonly permissionId: string;
  readonly guarded: boolean;
}

function Explain({ permissionId, guarded }: ExplainProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <button ref={button} type="button" class="link-button" aria-disabled={guarded} onClick={() => setOpen(!guarded)}>
        {t('Reject and Explain…')}
      </button>
      {open && <RejectReason permissionId={permissionId} onBack={close} />}
    </>
  );
}

interface SubjectProps {
  readonly tool: ToolEntry;
  /** The raw input is shown whole. */
  readonly whole: boolean | undefined;
  /** Undefined if a plan cannot be edited. */
  readonly onEditPlan: (() => void) | undefined;
}

/** The command line and diffs, the files that no diff names, and the raw input where it adds something. */
function Subject({ tool, whole, onEditPlan }: SubjectProps): JSX.Element {
  const { rawInput } = tool;
  const command = toolCommand(rawInput);
  const folder = toolCwd(rawInput);
  const diffs = tool.content.filter((content) => content.type === 'diff');
  const plan = tool.tool === 'switch_mode' ? planText(rawInput) : undefined;
  const shownText = resultText(tool);
  const places = tool.locations.filter(({ path }) => !diffs.some((diff) => diff.path === path));
  // The answer also covers what stands beside a plan, such as commands that it allows.
  const isWholePlan = plan?.trim() === (shownText ?? plan)?.trim() && plan && !hasMore(rawInput, ['plan']);
  const isDescribed = command !== undefined || diffs.length > 0 || isWholePlan;
  const shown = command && !whole ? [...COMMAND_FIELDS, 'args'] : [];
  return (
    <>
      {command && <CollapsibleText text={escapeInvisible(commandText(command))} />}
      {command && folder !== undefined && (
        <p class="why muted">
          {t('in')} <code dir="ltr">{escapeInvisibleInline(folder)}</code>
        </p>
      )}
      {diffs.map((diff) => (
        <DiffCard key={diff.diffId} diff={diff} />
      ))}
      {plan && shownText === undefined && <Markdown text={plan} />}
      <ToolCallContent content={tool.content.filter(({ type }) => type === 'block' || type === 'raw')} />
      {plan && onEditPlan && (
        <button type="button" class="link-button" onClick={onEditPlan}>
          {t('Edit Plan')}
        </button>
      )}
      {places.length > 0 && (
        <p class="places">
          {places.map((location, index) => (
            <FileLocationLink key={index} {...location} />
          ))}
        </p>
      )}
      {hasMore(rawInput, shown) && <Input value={rawInput} folded={!!isDescribed && !whole} />}
    </>
  );
}

/** The raw input, unfolded where nothing else describes the action. */
function Input({ value, folded }: { value: unknown; folded: boolean }): JSX.Element {
  return (
    <details class="raw-value" open={!folded}>
      <summary class="meta muted">{t('Input')}</summary>
      <CollapsibleText text={escapeInvisible(prettyJson(value))} lines={folded ? 12 : 1000} />
    </details>
  );
}

/** Whether the value has more than these fields. */
function hasMore(value: unknown, shown: readonly string[]): boolean {
  return isObject(value)
    ? Object.keys(value).some((field) => !shown.includes(field))
    : value !== undefined && value !== null;
}
