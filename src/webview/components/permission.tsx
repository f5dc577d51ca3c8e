import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isObject } from '../../base/json';
import type { PermissionEntry, PermissionOption, ToolEntry } from '../../shared/state';
import { usePage } from './context';
import { DiffCard, Place } from './diff';
import { Folded } from './folded';
import { useGuard } from './guard';
import { Icon } from './icon';
import { Details, RawValue } from './tool';

/** A question of the agent; one quiet line once it is answered. */
export function Permission({ entry }: { entry: PermissionEntry }): JSX.Element {
  const line = useRef<HTMLDivElement>(null);
  const card = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  const answered = entry.outcome !== undefined;
  if (!answered) hadFocus.current = false;
  else if (card.current?.contains(document.activeElement)) hadFocus.current = true;
  // The focus stays where the person was when the buttons go away.
  useLayoutEffect(() => {
    if (answered && hadFocus.current) line.current?.focus({ preventScroll: true });
  }, [answered]);
  return answered ? <Answered entry={entry} line={line} /> : <Question entry={entry} card={card} />;
}

function Answered({ entry, line }: { entry: PermissionEntry; line: { current: HTMLDivElement | null } }): JSX.Element {
  const { icon, text } = verdict(entry);
  return (
    <div
      class="entry permission answered"
      role="group"
      aria-label={`Permission: ${entry.title}`}
      tabIndex={-1}
      ref={line}
    >
      <Icon name={icon} />
      <bdi class="permission-title">{entry.title}</bdi>
      <span class="permission-verdict">{text}</span>
    </div>
  );
}

function verdict({ outcome, options }: PermissionEntry): { icon: string; text: string } {
  if (outcome?.type !== 'selected') return { icon: 'circle-slash', text: `Canceled: ${outcome?.reason ?? ''}` };
  const option = options.find((each) => each.optionId === outcome.optionId);
  if (option?.kind === 'reject_once' || option?.kind === 'reject_always') return { icon: 'close', text: 'Rejected' };
  return { icon: 'check', text: option?.name ?? outcome.optionId };
}

function Question({ entry, card }: { entry: PermissionEntry; card: { current: HTMLDivElement | null } }): JSX.Element {
  const { store, post } = usePage();
  const [guarded, guard] = useGuard();
  const tool = useComputed(() => {
    const about = store.entry(entry.tool)?.value.value;
    return about?.kind === 'tool' ? about : undefined;
  }).value;
  const answer = (option: PermissionOption | undefined): void => {
    if (!option || guarded) return;
    guard();
    post({ type: 'answerPermission', permissionId: entry.permissionId, optionId: option.optionId });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTextField(event.target)) return;
    if (/^[1-9]$/.test(event.key)) answer(entry.options[Number(event.key) - 1]);
  };
  return (
    <div class="entry permission">
      <div
        class="question"
        role="group"
        aria-label={`Permission: ${entry.title}`}
        tabIndex={-1}
        ref={card}
        onKeyDown={onKeyDown}
      >
        <p class="question-title">
          <Icon name="shield" />
          <bdi>{entry.title}</bdi>
        </p>
        {tool && <Subject tool={tool} />}
        <p class="why muted" dir="auto">
          {entry.why ?? 'The agent asks before it goes on.'}
        </p>
        <Options options={entry.options} guarded={guarded} onAnswer={answer} />
      </div>
    </div>
  );
}

interface OptionsProps {
  readonly options: readonly PermissionOption[];
  readonly guarded: boolean;
  readonly onAnswer: (option: PermissionOption) => void;
}

function Options({ options, guarded, onAnswer }: OptionsProps): JSX.Element {
  const primary = options.find(({ kind }) => kind === 'allow_once' || kind === 'allow_always');
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
          <bdi>{option.name}</bdi>
          {index < 9 && <kbd aria-hidden="true">{index + 1}</kbd>}
        </button>
      ))}
    </div>
  );
}

/** What would be done: the command line, the change, else the input as the agent gave it. */
function Subject({ tool }: { tool: ToolEntry }): JSX.Element {
  const command = commandLine(tool.rawInput);
  const diffs = tool.content.filter((content) => content.type === 'diff');
  const rest = tool.content.filter((content) => content.type === 'block' || content.type === 'raw');
  const plain = command === undefined && diffs.length === 0;
  return (
    <>
      {command !== undefined && <Folded text={command} />}
      {diffs.map((diff) => (
        <DiffCard key={diff.diffId} diff={diff} />
      ))}
      <Details content={rest} />
      {plain && hasContent(tool.rawInput) && <RawValue label="Input" value={tool.rawInput} />}
      {tool.locations.length > 0 && (
        <p class="places">
          {tool.locations.map((location, index) => (
            <Place key={index} {...location} />
          ))}
        </p>
      )}
    </>
  );
}

/** The command line in a raw input of the usual shapes: `command` as text, as text with `args`, or as a list. */
function commandLine(rawInput: unknown): string | undefined {
  if (!isObject(rawInput)) return undefined;
  const { command, args } = rawInput;
  const words = [command, ...(Array.isArray(args) ? args : [])].flat();
  if (words.length === 0 || !words.every((word) => typeof word === 'string')) return undefined;
  return typeof command === 'string' && words.length === 1 ? command : words.map((word) => quoted(word)).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}

function hasContent(value: unknown): boolean {
  return isObject(value) ? Object.keys(value).length > 0 : value !== undefined && value !== null;
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
