import { useComputed, useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo, useRef, useEffect, useLayoutEffect } from 'preact/hooks';
import { t } from '../../../base/l10n';
import type { SendTarget } from '../../../shared/protocol/turnIntents';
import type { Attachment } from '../../../shared/state/attachments';
import { withAttachments, attachmentContent } from '../../../shared/state/attachments';
import type { AgentRef, Command } from '../../../shared/state/sessionState';
import { IconButton } from '../../controls/icon';
import type { Draft } from '../../page/draftMemory';
import { draftOf, storeDraft } from '../../page/draftMemory';
import { lazyComponent } from '../lazyComponent';
import { useEvent, useHostMessage, usePage } from '../pageContext';
import { createTypingReport, reportComposing } from '../reportComposing';
import type { Suggestion } from '../useSuggestion';
import { useSuggestion } from '../useSuggestion';
import { Attachments } from './attachmentChips';
import { CommandHint } from './commandCompletion';
import type { CommandCompletion } from './commandCompletion';
import { unknownCommand } from './commandText';
import { ConfigOptionPickers } from './configOptions/configOptionPickers';
import { editorAttachment } from './editorContextChip';
import { placeCaret } from './placeCaret';
import { PromptHistory, lastPrompt } from './promptHistory';
import { SendButton, StopButtons } from './sendButtons';
import type { SendHow } from './stopKeys';
import { sendOf, isStopKey, stopTurn } from './stopKeys';
import { useAttachments } from './useAttachments';
import type { ComposerAttachments } from './useAttachments';
import { completionHandlers, useCompletion } from './useCompletion';
import type { LinkedPrompt } from './useLinkedPrompt';
import { isRecentlyFilled, targetOf, useLinkedPrompt } from './useLinkedPrompt';

const MentionColors = lazyComponent(async () => (await import('./mentionColors')).MentionColors);
const ContextUsage = lazyComponent(async () => (await import('./contextUsage')).ContextUsage, 'soon');
const LinkedPromptNote = lazyComponent(async () => (await import('./linkedPromptNote')).LinkedPromptNote);

const CommandRefusal = lazyComponent(async () => (await import('./refusals')).CommandRefusal);

/** The message box. It owns the draft; sent messages belong to the session. */
export function Composer(): JSX.Element {
  const { store, events, post } = usePage();
  const text = useSignal('');
  const attachments = useAttachments(text);
  const { attached, remarks, attach, remove, onPaste, drop } = attachments;
  const canSend = useComputed(() => text.value.trim() !== '' || attached.value.length > 0).value;
  const refused = useSignal<string | undefined>(undefined);
  const filled = useSignal<LinkedPrompt | undefined>(undefined);
  const completion = useCompletion(text, {
    attach: (one) => attach([one], []),
    attachFrom: (source) => post({ type: 'attachFrom', source }),
  });
  useLinkedPrompt(text, filled);
  useComposeRequests(text, attached, attach);
  const { send } = useSending(text, attachments, refused, filled);
  useHostMessage('sendDraft', ({ to }) => send(undefined, to));
  const sendAsText = (): void => {
    send('asText');
    events.focusComposer.fire();
  };
  const suggestion = useSuggestion(text, attached);
  const placeholder = suggestion.text ?? invitation(store.agent.value, store.allCommands.value);
  return (
    <div
      class={drop.isOver ? 'composer drop-here' : 'composer'}
      {...useComposingReport()}
      onPaste={onPaste}
      {...drop.handlers}
    >
      {completion.list}
      {refused.value !== undefined && <CommandRefusal refused={refused} text={text} onSend={sendAsText} />}
      {filled.value && <LinkedPromptNote text={text} filled={filled} />}
      <Attachments attached={attached.value} remarks={remarks} onRemove={remove} />
      <MessageBox {...{ text, attached, placeholder, completion, suggestion }} onSend={send} />
      <ComposerRow sendable={canSend} onSend={() => send()} />
    </div>
  );
}

/** Starts the agent at the first key, paste or drop. An event of a script is not the user's. */
function useComposingReport(): Record<'onInput' | 'onPasteCapture' | 'onDropCapture', (event: Event) => void> {
  const page = usePage();
  const reportTyping = useMemo(() => createTypingReport(page), [page]);
  const report = ({ isTrusted }: Event): void => {
    if (!isTrusted) return;
    reportComposing(page);
    reportTyping();
  };
  return { onInput: report, onPasteCapture: report, onDropCapture: report };
}

function ComposerRow({ sendable, onSend }: { sendable: boolean; onSend: () => void }): JSX.Element {
  const { store, events, post } = usePage();
  const isRunning = useComputed(() => store.turn.value.status === 'running').value;
  const send = (): void => {
    onSend();
    // The Stop button replaces this button, which would lose the focus.
    events.focusComposer.fire();
  };
  return (
    <div class="composer-row" inert={store.isProvisional.value}>
      <IconButton
        icon="attach"
        label={t('Attach files')}
        onClick={() => post({ type: 'attachFrom', source: 'files' })}
      />
      <ConfigOptionPickers />
      <span class="composer-actions">
        <ContextUsage />
        {isRunning && <StopButtons />}
        {(!isRunning || sendable) && <SendButton running={isRunning} sendable={sendable} onClick={send} />}
      </span>
    </div>
  );
}

interface Sending {
  /** `asText`: even if the command is unknown; `now`: during the turn, not after it. */
  readonly send: (how?: 'asText' | SendHow, to?: SendTarget) => void;
}

function useSending(
  text: Signal<string>,
  { attached, remarks }: ComposerAttachments,
  refused: Signal<string | undefined>,
  filled: Signal<LinkedPrompt | undefined>,
): Sending {
  const { store, post, editor, stick } = usePage();
  const send: Sending['send'] = (how, to) => {
    const isEmpty = text.peek().trim() === '' && attached.peek().length === 0;
    if (isEmpty || isRecentlyFilled(filled.peek()) || store.isProvisional.peek()) return;
    if (
      how !== 'asText' &&
      unknownCommand(text.peek(), store.commands.peek(), store.allCommands.peek()) !== undefined
    ) {
      refused.value = text.peek();
      return;
    }
    const context = editorAttachment(editor.peek(), store.environment.peek().editor);
    const attachments = withAttachments(attached.peek(), context ? [context] : []);
    const isRunning = store.turn.peek().status === 'running';
    const isNow = how === 'now' && isRunning;
    const target = to ?? targetOf(filled.peek(), store.state?.id);
    const where = { ...(isNow && { now: isNow }), ...(target && { to: target }) };
    post({ type: 'send', text: text.peek(), ...(attachments.length > 0 && { attachments }), ...where });
    // Scrolls to the sent message; queued ones have their own list.
    if ((!isRunning || isNow) && store.entryCount.peek() > 0) stick.peek()?.toEnd();
    text.value = '';
    attached.value = [];
    // They are about what was not sent before.
    remarks.value = [];
    filled.value = undefined;
  };
  return { send };
}

function invitation(agent: AgentRef | undefined, commands: readonly Command[]): string {
  const hint = agent ? t('Ask {0}…', agent.title) : t('Ask anything…');
  return commands.length > 0 ? t('{0} / for commands, @ for context', hint) : t('{0} @ for context', hint);
}

interface MessageBoxProps {
  readonly text: Signal<string>;
  readonly attached: Signal<readonly Attachment[]>;
  readonly placeholder: string;
  readonly completion: CommandCompletion;
  readonly suggestion: Suggestion;
  readonly onSend: (how?: SendHow) => void;
}

function MessageBox({ text, attached, placeholder, completion, suggestion, onSend }: MessageBoxProps): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  const onKeyDown = useKeys(text, completion, suggestion, onSend);
  useDraft(text, attached);
  useEvent(usePage().events.focusComposer.event, () => box.current?.focus());
  // The page may have got the focus before its message box existed.
  useLayoutEffect(() => {
    if (document.hasFocus() && document.activeElement === document.body) box.current?.focus();
  }, []);
  useInsert(text, box);
  return (
    <div class="message-area">
      <CommandHint text={text.value} />
      {/* Shortened in a narrow page, which a placeholder cannot be: a second line would take one from the conversation. */}
      {text.value === '' && suggestion.text === undefined && (
        <div class="message-hint invitation" aria-hidden="true" dir="auto">
          {placeholder}
        </div>
      )}
      {attached.value.length > 0 && <MentionColors text={text.value} attached={attached.value} box={box} />}
      <textarea
        ref={box}
        class={suggestion.text === undefined ? 'message-box invites' : 'message-box'}
        aria-label={t('Message')}
        {...completion.aria}
        dir="auto"
        rows={1}
        placeholder={placeholder}
        value={text.value}
        {...completionHandlers(text, attached, completion)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

/** Inserts the host's text below the draft, with the cursor after it. */
function useInsert(text: Signal<string>, box: { readonly current: HTMLTextAreaElement | null }): void {
  useEvent(usePage().events.insertText.event, (added) => {
    const before = text.peek().trimEnd();
    const whole = before === '' ? added : `${before}\n${added}`;
    text.value = whole;
    const element = box.current;
    if (!element) return;
    placeCaret(element, whole, whole.length);
    element.scrollTop = element.scrollHeight;
  });
}

/** Enter sends, or Ctrl+Enter by the setting; arrows in an empty box walk through earlier prompts. */
function useKeys(
  box: Signal<string>,
  completion: CommandCompletion,
  suggestion: Suggestion,
  onSend: (how: SendHow) => void,
): (event: KeyboardEvent) => void {
  const { store, post, editing } = usePage();
  const history = useMemo(() => new PromptHistory(), []);
  const walk = (event: KeyboardEvent, text: string | undefined): void => {
    if (text === undefined) return;
    event.preventDefault();
    box.value = text;
  };
  const editLast = (event: KeyboardEvent): void => {
    event.preventDefault();
    editing.value = lastPrompt(store.state);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // During composition Enter and arrows belong to the input method. 229: Chromium's last key of a composition.
    if (event.isComposing || event.keyCode === 229) return;
    if (completion.onKey(event) || suggestion.onKey(event)) return;
    const environment = store.environment.peek();
    const sends = sendOf(event, environment);
    if (isStopKey(event, environment.mac)) stopTurn(event, store.turn.peek(), post);
    else if (sends) {
      event.preventDefault();
      onSend(sends);
    } else if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    else if (event.key === 'F2' && box.peek() === '') editLast(event);
    else if (event.key === 'ArrowUp') walk(event, history.earlier(store.state, box.peek()));
    else if (event.key === 'ArrowDown') walk(event, history.later(store.state, box.peek()));
  };
  return onKeyDown;
}

/** Larger drafts (UTF-16 units) are stored after a pause in milliseconds. */
const LARGE_DRAFT_CHARS = 50_000;
const STORE_DELAY_MS = 500;

/** Restores and stores the session's draft, and follows edits in other pages. */
function useDraft(text: Signal<string>, attached: Signal<readonly Attachment[]>): void {
  const { store, memory, drafts } = usePage();
  const session = store.state?.id ?? '';
  const epoch = store.epoch.value;
  /** The stored draft, which need not be stored again. */
  const stored = useRef<Draft & { readonly session: string }>(undefined);
  const show = (): void => {
    const draft = draftOf(memory.load(), session);
    stored.current = { ...draft, session };
    text.value = draft.text;
    attached.value = draft.attached;
  };
  useLayoutEffect(show, [epoch, session, text, attached, memory]);
  useHostMessage('draft', ({ session: changed }) => {
    if (changed === session) show();
  });
  useEffect(() => {
    const before = stored.current;
    // Preact runs the effect of the first render after the stored draft was shown: not the text of that render.
    const current = { text: text.peek(), attached: attached.peek() };
    if (before?.session !== session) return undefined;
    if (before.text === current.text && isSameAttachments(before.attached, current.attached)) return undefined;
    // Never older than the last one: the computer's clock may have been set back.
    const draft = { ...current, at: Math.max(Date.now(), (before.at ?? 0) + 1) };
    drafts.store(session, draft);
    return whenQuiet(current.attached, () => {
      stored.current = { ...draft, session };
      memory.save(storeDraft(memory.load(), session, draft));
    });
  }, [text.value, attached.value, session, memory, drafts]);
}

/**
 * Runs `job` at once, or after a pause if attachments are large, since storing them on every key press is slow.
 * @returns a function that cancels it
 */
function whenQuiet(attached: readonly Attachment[], save: () => void): (() => void) | undefined {
  if (attached.reduce((size, one) => size + attachmentContent(one).length, 0) < LARGE_DRAFT_CHARS) {
    save();
    return undefined;
  }
  const timer = setTimeout(save, STORE_DELAY_MS);
  // The page may be destroyed at any time.
  window.addEventListener('pagehide', save);
  return () => {
    clearTimeout(timer);
    window.removeEventListener('pagehide', save);
  };
}

function isSameAttachments(one: readonly Attachment[], other: readonly Attachment[]): boolean {
  return one === other || one.length + other.length === 0;
}

/**
 * Handles messages started elsewhere in the editor, such as "Fix with Agent": sends them if requested and possible, else appends them to
 * the draft.
 */
function useComposeRequests(
  text: Signal<string>,
  attached: Signal<readonly Attachment[]>,
  attach: ComposerAttachments['attach'],
): void {
  const page = usePage();
  const { store, events, post } = page;
  useHostMessage('compose', ({ text: started, attachments, send, replaces }) => {
    if (replaces !== undefined && text.peek().trim() === replaces.trim()) text.value = '';
    const isFree = text.peek().trim() === '' && attached.peek().length === 0;
    if (send && isFree && store.turn.peek().status !== 'running') {
      post({ type: 'send', text: started, ...(attachments.length > 0 && { attachments }) });
      return;
    }
    reportComposing(page);
    if (started !== '') events.insertText.fire(started);
    attach(attachments, []);
    events.focusComposer.fire();
  });
}
