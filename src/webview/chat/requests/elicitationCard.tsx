import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { t } from '../../../base/l10n';
import { escapeInvisible, escapeInvisibleInline } from '../../../base/untrustedText';
import type {
  ElicitationAnswer,
  ElicitationEntry,
  FieldValue,
  FormField,
} from '../../../shared/state/elicitationState';
import { validateField } from '../../../shared/state/elicitationState';
import { Icon } from '../../controls/icon';
import { TranslatedSentence } from '../../controls/translatedSentence';
import { useClickGuard } from '../../controls/useClickGuard';
import { usePage } from '../pageContext';
import { FieldRow, fieldValue, initialValue } from './formField';
import type { FieldInput } from './formField';

/** An elicitation as a form or a URL; one line once it is answered. */
export function ElicitationCard({ entry }: { entry: ElicitationEntry }): JSX.Element {
  if (entry.outcome) return <AnsweredElicitation entry={entry} />;
  return entry.question.mode === 'form' ? (
    <FormCard entry={entry} question={entry.question} />
  ) : (
    <UrlCard entry={entry} question={entry.question} />
  );
}

type Question<M extends 'form' | 'url'> = Extract<ElicitationEntry['question'], { mode: M }>;

function AnsweredElicitation({ entry }: { entry: ElicitationEntry }): JSX.Element {
  const { icon, text } = outcomeText(entry);
  const message = escapeInvisibleInline(entry.message);
  useLayoutEffect(() => void inputs.delete(entry.elicitationId), [entry.elicitationId]);
  return (
    <div class="entry permission answered" role="group" aria-label={t('Form: {0}', message)} tabIndex={-1}>
      <Icon name={icon} />
      <bdi class="permission-title">{message}</bdi>
      <span class="permission-verdict">{text}</span>
    </div>
  );
}

function outcomeText({ outcome, question, completed }: ElicitationEntry): { icon: string; text: string } {
  if (outcome?.type === 'declined') return { icon: 'close', text: t('Declined') };
  if (outcome?.type !== 'accepted') return { icon: 'circle-slash', text: t('Canceled: {0}', outcome?.reason ?? '') };
  if (question.mode === 'form') return { icon: 'check', text: t('Submitted') };
  return completed ? { icon: 'check', text: t('Done') } : { icon: 'link-external', text: t('Opened in the browser') };
}

type FormInput = Readonly<Record<string, FieldInput>>;

/** The user's input by elicitation id, for forms that are shown again in this page. Never stored: it may be secret. */
const inputs = new Map<string, FormInput>();

/** The user's input, else what the agent filled in. */
function useInput(elicitationId: string, fields: readonly FormField[]) {
  const [typed, setTyped] = useState(
    () => inputs.get(elicitationId) ?? Object.fromEntries(fields.map((field) => [field.key, initialValue(field)])),
  );
  const enter = (key: string, value: FieldInput): void => {
    const now = { ...(inputs.get(elicitationId) ?? typed), [key]: value };
    inputs.set(elicitationId, now);
    setTyped(now);
  };
  return [typed, enter] as const;
}

function focusField(form: EventTarget | null, index: number): void {
  if (!(form instanceof HTMLElement)) return;
  const fields = form.querySelectorAll('.field');
  fields[index]?.querySelector<HTMLElement>('input, select, textarea')?.focus();
}

function FormCard({ entry, question }: { entry: ElicitationEntry; question: Question<'form'> }): JSX.Element {
  const { post } = usePage();
  const [guarded] = useClickGuard();
  const { fields } = question;
  const [typed, enter] = useInput(entry.elicitationId, fields);
  const [tried, setTried] = useState(false);
  const problems = new Map(fields.map((field) => [field.key, problemOf(field, typed[field.key])]));
  const submit = (event: Event): void => {
    event.preventDefault();
    if (guarded) return;
    setTried(true);
    const invalid = fields.findIndex(({ key }) => problems.get(key) !== undefined);
    if (invalid >= 0) return focusField(event.currentTarget, invalid);
    post(answerOf(entry, { action: 'accept', content: formContent(fields, typed) }));
  };
  return (
    <QuestionForm entry={entry} guarded={guarded} submitLabel={t('Submit')} onSubmit={submit}>
      <Heading entry={entry} title={question.title} description={question.description} />
      {fields.map((field) => (
        <FieldRow
          key={field.key}
          field={field}
          value={typed[field.key]}
          problem={tried ? problems.get(field.key) : undefined}
          onChange={(value) => enter(field.key, value)}
        />
      ))}
    </QuestionForm>
  );
}

function UrlCard({ entry, question }: { entry: ElicitationEntry; question: Question<'url'> }): JSX.Element {
  const { post } = usePage();
  const [guarded] = useClickGuard();
  const open = (event: Event): void => {
    event.preventDefault();
    if (!guarded) post({ type: 'openElicitation', elicitationId: entry.elicitationId });
  };
  return (
    <QuestionForm entry={entry} guarded={guarded} submitLabel={t('Open in Browser')} onSubmit={open}>
      <Heading entry={entry} />
      <p>
        <TranslatedSentence
          text={t('Opens {0} in your browser:')}
          parts={[<strong dir="ltr">{question.host}</strong>]}
        />
      </p>
      <code class="address" dir="ltr">
        {question.url}
      </code>
      {question.warning !== undefined && (
        <p class="field-problem">
          <Icon name="warning" />
          {question.warning}
        </p>
      )}
    </QuestionForm>
  );
}

interface QuestionFormProps {
  readonly entry: ElicitationEntry;
  /** The buttons have no effect yet. */
  readonly guarded: boolean;
  readonly submitLabel: string;
  readonly onSubmit: (event: Event) => void;
  readonly children: ComponentChildren;
}

function QuestionForm({ entry, guarded, submitLabel, onSubmit, children }: QuestionFormProps): JSX.Element {
  const name = escapeInvisibleInline(entry.message);
  return (
    <div class="entry permission">
      <form class="question elicitation" aria-label={name} noValidate tabIndex={-1} onSubmit={onSubmit}>
        {children}
        <div class="buttons">
          <button type="submit" class="button primary" aria-disabled={guarded}>
            {submitLabel}
          </button>
          <OtherButtons entry={entry} guarded={guarded} />
        </div>
      </form>
    </div>
  );
}

interface HeadingProps {
  readonly entry: ElicitationEntry;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

function Heading({ entry, title, description }: HeadingProps): JSX.Element {
  return (
    <>
      <p class="question-title">
        <Icon name="question" />
        <bdi>{escapeInvisible(entry.message)}</bdi>
      </p>
      <p class="why muted">
        <TranslatedSentence
          text={t('Requested by {0}. Your input is sent there.')}
          parts={[<bdi>{escapeInvisibleInline(entry.agent)}</bdi>]}
        />
      </p>
      {title !== undefined && (
        <p dir="auto">
          <strong>{escapeInvisibleInline(title)}</strong>
        </p>
      )}
      {description !== undefined && (
        <p class="muted" dir="auto">
          {escapeInvisible(description)}
        </p>
      )}
    </>
  );
}

function OtherButtons({ entry, guarded }: { entry: ElicitationEntry; guarded: boolean }): JSX.Element {
  const { post } = usePage();
  const answer = (action: 'decline' | 'cancel') => () => {
    if (!guarded) post(answerOf(entry, { action }));
  };
  return (
    <>
      <button type="button" class="button" aria-disabled={guarded} onClick={answer('decline')}>
        {t('Decline')}
      </button>
      <button type="button" class="button" aria-disabled={guarded} onClick={answer('cancel')}>
        {t('Cancel')}
      </button>
    </>
  );
}

function answerOf({ elicitationId }: ElicitationEntry, answer: ElicitationAnswer) {
  return { type: 'answerElicitation', elicitationId, answer } as const;
}

function problemOf(field: FormField, typed: FieldInput | undefined): string | undefined {
  const value = fieldValue(field, typed);
  return value === 'unreadable' ? t('This must be a number.') : validateField(field, value?.value, true);
}

function formContent(fields: readonly FormField[], typed: FormInput): Readonly<Record<string, FieldValue>> {
  return Object.fromEntries(
    fields.flatMap((field): [string, FieldValue][] => {
      const value = fieldValue(field, typed[field.key]);
      return value === undefined || value === 'unreadable' ? [] : [[field.key, value.value]];
    }),
  );
}
