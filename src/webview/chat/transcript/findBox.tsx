import type { JSX, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { assertDefined } from '../../../base/assert';
import { t } from '../../../base/l10n';
import { IconButton } from '../../controls/icon';
import { useEvent, usePage } from '../pageContext';
import { Finder } from './finder';

interface FindBoxProps {
  readonly log: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
}

/** Finds text in the conversation, also in collapsed entries and in those that are not drawn. */
export function FindBox({ log, onClose }: FindBoxProps): JSX.Element {
  const page = usePage();
  const [box, input] = [useRef<HTMLDivElement>(null), useRef<HTMLInputElement>(null)];
  const finder = useMemo(() => new Finder(page, assertDefined(log.current ?? undefined, 'log')), [page, log]);
  const { focus, restore } = useFocus(box, input);
  useEvent(page.events.find.event, focus);
  useLayoutEffect(() => {
    focus();
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'F3' || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      finder.go(event.shiftKey ? 'before' : 'after');
    };
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      finder.dispose();
    };
  }, [finder]);
  const close = (): void => {
    restore();
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && event.target === input.current) finder.go(event.shiftKey ? 'before' : 'after');
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="find" ref={box} role="search" aria-label={t('Find in conversation')} onKeyDown={onKeyDown}>
      <Controls finder={finder} input={input} onClose={close} />
    </div>
  );
}

interface Focus {
  /** Moves the focus to the field. */
  readonly focus: () => void;
  /** Returns the focus to where it was. */
  readonly restore: () => void;
}

function useFocus(box: RefObject<HTMLElement | null>, input: RefObject<HTMLInputElement | null>): Focus {
  const { events } = usePage();
  const opener = useRef<Element | null>(null);
  const focus = (): void => {
    // What the user types now must not replace what was typed since the key.
    if (document.activeElement === input.current) return;
    if (!box.current?.contains(document.activeElement)) opener.current = document.activeElement;
    input.current?.select();
  };
  const restore = (): void => {
    if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true });
    if (box.current?.contains(document.activeElement)) events.focusComposer.fire();
  };
  return { focus, restore };
}

interface ControlsProps {
  readonly finder: Finder;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly onClose: () => void;
}

function Controls({ finder, input, onClose }: ControlsProps): JSX.Element {
  const { query, isCased, status } = finder;
  return (
    <>
      <input
        type="search"
        aria-label={t('Find')}
        placeholder={t('Find')}
        maxLength={1000}
        spellcheck={false}
        dir="auto"
        ref={input}
        value={query.value}
        onInput={({ currentTarget }) => finder.find(currentTarget.value)}
      />
      <span class="find-count muted" role="status">
        {status.value}
      </span>
      <IconButton icon="arrow-up" label={t('Previous Match')} onClick={() => finder.go('before')} />
      <IconButton icon="arrow-down" label={t('Next Match')} onClick={() => finder.go('after')} />
      <IconButton
        icon="case-sensitive"
        label={t('Match Case')}
        pressed={isCased.value}
        onClick={() => finder.find(query.peek(), !isCased.peek())}
      />
      <IconButton icon="close" label={t('Close')} onClick={onClose} />
    </>
  );
}
