import { useComputed, useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { withDraft } from '../drafts';
import { PromptHistory } from '../history';
import { usePage } from './context';
import { Icon } from './icon';
import { TurnLine } from './turnLine';

/** Where the person writes. It owns the draft; what was sent belongs to the session. */
export function Composer(): JSX.Element {
  const { store, post } = usePage();
  const text = useSignal('');
  const running = useComputed(() => store.turn.value.status === 'running').value;
  const sendable = useComputed(() => text.value.trim() !== '').value;
  const agent = store.agent.value;
  const send = (): void => {
    if (store.turn.peek().status === 'running' || text.peek().trim() === '') return;
    post({ type: 'send', text: text.peek() });
    text.value = '';
  };
  return (
    <div class="composer">
      <MessageBox text={text} placeholder={agent ? `Ask ${agent.title}…` : 'Ask anything…'} onSend={send} />
      <div class="composer-row">
        <TurnLine />
        <span class="composer-actions">
          {running && <StopButtons />}
          <button
            type="button"
            class={running ? 'round' : 'round primary'}
            aria-label="Send"
            aria-disabled={running || !sendable}
            title={running ? 'Send is possible when this turn has ended' : 'Send (Enter)'}
            onClick={send}
          >
            <Icon name="send" />
          </button>
        </span>
      </div>
    </div>
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
        title={stopping ? 'The agent was asked to stop' : `Stop (${stopKey(store.surroundings.value.mac).label})`}
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
  onSend(): void;
}

function MessageBox({ text, placeholder, onSend }: MessageBoxProps): JSX.Element {
  const { store, post, focus } = usePage();
  const box = useRef<HTMLTextAreaElement>(null);
  const history = useMemo(() => new PromptHistory(), []);
  useDraft(text);
  useEffect(() => {
    focus.composer = () => box.current?.focus();
    return () => delete focus.composer;
  }, [focus]);
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, Enter and the arrows belong to it. 229: Chromium's last key of a composition.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      onSend();
    } else if (isStopKey(event, store.surroundings.peek().mac)) {
      const turn = store.turn.peek();
      if (turn.status !== 'running' || turn.stopping) return;
      event.preventDefault();
      post({ type: 'stop' });
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const walk =
        event.key === 'ArrowUp' ? history.earlier(store.state, text.peek()) : history.later(store.state, text.peek());
      if (walk === undefined) return;
      event.preventDefault();
      text.value = walk;
    }
  };
  return (
    <textarea
      ref={box}
      class="message-box"
      aria-label="Message"
      dir="auto"
      rows={2}
      placeholder={placeholder}
      value={text.value}
      onInput={(event) => (text.value = event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
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

/** The keys with which VS Code cancels a chat request; plain Escape is for closing things, not for losing work. */
function stopKey(mac: boolean): { label: string } {
  if (mac) return { label: '⌘Escape' };
  return { label: onWindows() ? 'Alt+Backspace' : 'Ctrl+Escape' };
}

function isStopKey(event: KeyboardEvent, mac: boolean): boolean {
  if (!mac && onWindows()) return event.altKey && event.key === 'Backspace';
  return event.key === 'Escape' && (mac ? event.metaKey : event.ctrlKey);
}

function onWindows(): boolean {
  return navigator.userAgent.includes('Windows');
}
