import { useComputed, useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { withDraft } from '../drafts';
import { PromptHistory } from '../history';
import { isStopKey, stopKeyLabel } from '../stopKey';
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
  readonly onSend: () => void;
}

function MessageBox({ text, placeholder, onSend }: MessageBoxProps): JSX.Element {
  const { focus } = usePage();
  const box = useRef<HTMLTextAreaElement>(null);
  const onKeyDown = useKeys(text, onSend);
  useDraft(text);
  useEffect(() => {
    focus.composer = () => box.current?.focus();
    return () => delete focus.composer;
  }, [focus]);
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

/** What the keys do in the box: Enter sends, the arrows walk through earlier prompts from an empty box. */
function useKeys(box: Signal<string>, onSend: () => void): (event: KeyboardEvent) => void {
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
