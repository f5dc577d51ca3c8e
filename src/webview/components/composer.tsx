import { useComputed, useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { withDraft } from '../drafts';
import { PromptHistory } from '../history';
import { isStopKey, stopKeyLabel } from '../stopKey';
import type { AgentRef, Command } from '../../shared/state';
import { unknownCommand } from '../commands';
import { CommandHint, CommandRefusal, useCommands } from './commandList';
import type { CommandCompletion } from './commandList';
import { usePage } from './context';
import { Icon } from './icon';
import type { FilledByLink } from './linkNote';
import { LinkNote, isJustFilled, useLinks } from './linkNote';
import { Selectors } from './selectors';
import { TurnLine } from './turnLine';
import { UsageRing } from './usage';

/** Keys that move the caret without changing the text. */
const CARET_KEYS = /^(?:Arrow|Home|End)/;

/** Where the person writes. It owns the draft; what was sent belongs to the session. */
export function Composer(): JSX.Element {
  const { store, focus } = usePage();
  const text = useSignal('');
  const running = useComputed(() => store.turn.value.status === 'running').value;
  const sendable = useComputed(() => text.value.trim() !== '').value;
  const refused = useSignal<string | undefined>(undefined);
  const filled = useSignal<FilledByLink | undefined>(undefined);
  const commands = useCommands(text);
  useLinks(text, filled);
  const { send, steers } = useSending(text, refused, filled);
  const sendAsText = (): void => {
    send(true);
    focus.composer?.();
  };
  const placeholder = invitation(store.agent.value, store.allCommands.value);
  return (
    <div class="composer">
      {commands.list}
      <CommandRefusal refused={refused} text={text} onSend={sendAsText} />
      <LinkNote text={text} filled={filled} />
      <MessageBox text={text} placeholder={placeholder} commands={commands} onSend={send} />
      <div class="composer-row">
        <Selectors />
        <TurnLine />
        <span class="composer-actions">
          <UsageRing />
          {running && <StopButtons />}
          <SendButton running={running} steers={steers.value} sendable={sendable} onClick={() => send()} />
        </span>
      </div>
    </div>
  );
}

interface Sending {
  /** @param asText also what looks like a command that the agent does not know */
  readonly send: (asText?: boolean) => void;
  /** The agent takes a message into the running turn. */
  readonly steers: { readonly value: boolean };
}

/** Sends what is in the box, unless something speaks against it. */
function useSending(
  text: Signal<string>,
  refused: Signal<string | undefined>,
  filled: Signal<FilledByLink | undefined>,
): Sending {
  const { store, post } = usePage();
  const steers = useComputed(() => store.connection.value.status === 'ready' && store.connection.value.steers === true);
  const send = (asText = false): void => {
    const blocked = store.turn.peek().status === 'running' && !steers.peek();
    if (blocked || text.peek().trim() === '' || isJustFilled(filled.peek())) return;
    if (!asText && unknownCommand(text.peek(), store.commands.peek(), store.allCommands.peek()) !== undefined) {
      refused.value = text.peek();
      return;
    }
    post({ type: 'send', text: text.peek() });
    text.value = '';
    filled.value = undefined;
  };
  return { send, steers };
}

function invitation(agent: AgentRef | undefined, commands: readonly Command[]): string {
  const ask = agent ? `Ask ${agent.title}…` : 'Ask anything…';
  return commands.length > 0 ? `${ask} / for commands` : ask;
}

interface SendButtonProps {
  readonly running: boolean;
  /** The agent takes a message into the running turn. */
  readonly steers: boolean;
  readonly sendable: boolean;
  readonly onClick: () => void;
}

function SendButton({ running, steers, sendable, onClick }: SendButtonProps): JSX.Element {
  const blocked = running && !steers;
  const title = running ? 'Send into this turn (Enter)' : 'Send (Enter)';
  return (
    <button
      type="button"
      class={running ? 'round' : 'round primary'}
      aria-label="Send"
      aria-disabled={blocked || !sendable}
      title={blocked ? 'Send is possible when this turn has ended' : title}
      onClick={onClick}
    >
      <Icon name="send" />
    </button>
  );
}

function StopButtons(): JSX.Element {
  const { store, post } = usePage();
  const turn = store.turn.value;
  const overdue = turn.status === 'running' && turn.overdue === true;
  const stopping = turn.status === 'running' && turn.stopping === true;
  return (
    <>
      {overdue && (
        <button
          type="button"
          class="button danger"
          title="Ends the agent's process and starts it again"
          onClick={() => post({ type: 'forceStop' })}
        >
          Force Stop
        </button>
      )}
      <button
        type="button"
        class="round primary"
        aria-label="Stop"
        aria-disabled={stopping}
        title={stopping ? 'The agent was asked to stop' : `Stop (${stopKeyLabel(store.surroundings.value.mac)})`}
        onClick={() => !stopping && post({ type: 'stop' })}
      >
        <Icon name="debug-stop" />
      </button>
    </>
  );
}

interface MessageBoxProps {
  readonly text: Signal<string>;
  readonly placeholder: string;
  readonly commands: CommandCompletion;
  readonly onSend: () => void;
}

function MessageBox({ text, placeholder, commands, onSend }: MessageBoxProps): JSX.Element {
  const { focus } = usePage();
  const box = useRef<HTMLTextAreaElement>(null);
  const onKeyDown = useKeys(text, commands, onSend);
  useDraft(text);
  // At once: the host may ask for it in the message that follows the snapshot, before a frame is drawn.
  useLayoutEffect(() => {
    focus.composer = () => box.current?.focus();
    return () => delete focus.composer;
  }, [focus]);
  useInsert(text, box);
  return (
    <div class="message-area">
      <CommandHint text={text.value} />
      <textarea
        ref={box}
        class="message-box"
        aria-label="Message"
        {...commands.aria}
        dir="auto"
        rows={2}
        placeholder={placeholder}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          commands.look(event.currentTarget);
        }}
        onClick={(event) => commands.look(event.currentTarget)}
        onKeyUp={(event) => CARET_KEYS.test(event.key) && commands.look(event.currentTarget)}
        onBlur={commands.close}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

/** Takes in text of the host below what was written before, with the cursor after it. */
function useInsert(text: Signal<string>, box: { readonly current: HTMLTextAreaElement | null }): void {
  const { focus } = usePage();
  useLayoutEffect(() => {
    focus.insert = (added) => {
      const before = text.peek().trimEnd();
      const whole = before === '' ? added : `${before}\n${added}`;
      text.value = whole;
      const element = box.current;
      if (!element) return;
      // The box has it only with the next render, the cursor has to stand after it at once.
      element.value = whole;
      element.focus();
      element.setSelectionRange(whole.length, whole.length);
      element.scrollTop = element.scrollHeight;
    };
    return () => delete focus.insert;
  }, [focus, text, box]);
}

/** What the keys do in the box: Enter sends, the arrows walk through earlier prompts from an empty box. */
function useKeys(box: Signal<string>, commands: CommandCompletion, onSend: () => void): (event: KeyboardEvent) => void {
  const { store, post } = usePage();
  const history = useMemo(() => new PromptHistory(), []);
  const walk = (event: KeyboardEvent, text: string | undefined): void => {
    if (text === undefined) return;
    event.preventDefault();
    box.value = text;
  };
  const stop = (event: KeyboardEvent): void => {
    const turn = store.turn.peek();
    if (turn.status !== 'running' || turn.stopping) return;
    event.preventDefault();
    post({ type: 'stop' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, Enter and the arrows belong to it. 229: Chromium's last key of a composition.
    if (event.isComposing || event.keyCode === 229) return;
    if (commands.onKey(event)) return;
    if (isStopKey(event, store.surroundings.peek().mac)) stop(event);
    else if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    else if (event.key === 'ArrowUp') walk(event, history.earlier(store.state, box.peek()));
    else if (event.key === 'ArrowDown') walk(event, history.later(store.state, box.peek()));
    else if (event.key === 'Enter') {
      event.preventDefault();
      onSend();
    }
  };
  return onKeyDown;
}

/** Brings back what was typed in this session before the page was reloaded, and keeps it as it changes. */
function useDraft(text: Signal<string>): void {
  const { store, memory } = usePage();
  const session = store.state?.id ?? '';
  const epoch = store.epoch.value;
  const loaded = useRef<string>(undefined);
  useLayoutEffect(() => {
    text.value = memory.load().drafts[session] ?? '';
    loaded.current = session;
  }, [epoch, session, text, memory]);
  const current = text.value;
  useEffect(() => {
    if (loaded.current !== session) return;
    const known = memory.load();
    if ((known.drafts[session] ?? '') !== current) memory.save(withDraft(known, session, current));
  }, [current, session, memory]);
}
