import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { TypeAhead, listMove } from '../listKeys';
import { useCloseOutside } from './closeOutside';
import { Icon } from './icon';

export interface MenuAction {
  readonly label: string;
  readonly icon: string;
  /** Shown on hover: what it does, or its key. */
  readonly title?: string;
  readonly onPick: () => void;
}

interface ActionMenuProps {
  /** Of the button and of the menu. */
  readonly label: string;
  readonly actions: readonly MenuAction[];
}

/** A small button with a menu of things to do (WAI-ARIA menu button). */
export function ActionMenu({ label, actions }: ActionMenuProps): JSX.Element {
  const open = useSignal(false);
  const box = useRef<HTMLSpanElement>(null);
  const close = (): void => {
    open.value = false;
    box.current?.querySelector('button')?.focus();
  };
  const openByKey = (event: KeyboardEvent): void => {
    if (open.peek() || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    open.value = true;
  };
  return (
    <span class="action-menu" ref={box}>
      <button
        type="button"
        class="icon-button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open.value}
        title={label}
        onClick={() => (open.value = !open.value)}
        onKeyDown={openByKey}
      >
        <Icon name="ellipsis" />
      </button>
      {open.value && <Menu label={label} actions={actions} open={open} button={box} onClose={close} />}
    </span>
  );
}

interface MenuProps extends ActionMenuProps {
  readonly open: Signal<boolean>;
  readonly button: { readonly current: HTMLElement | null };
  readonly onClose: () => void;
}

function Menu({ label, actions, open, button, onClose }: MenuProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const typeAhead = useRef(new TypeAhead());
  const focus = (index: number): void => list.current?.querySelectorAll<HTMLElement>('button')[index]?.focus();
  // Only while it is open: there is one of these at each message.
  useCloseOutside(button, open);
  useOnTop(list, button, open);
  useLayoutEffect(() => focus(0), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Array.from(list.current?.children ?? []).indexOf(document.activeElement as Element);
    const names = actions.map(({ label: name }) => name);
    const moved = typeAhead.current.find(event, names, at) ?? listMove(event.key, at, actions.length);
    if (moved !== undefined) focus(moved);
    else if (event.key === 'Escape' || event.key === 'Tab') onClose();
    else return;
    event.stopPropagation();
    // Tab goes on from the button.
    if (event.key !== 'Tab') event.preventDefault();
  };
  return (
    <div class="popup actions" role="menu" aria-label={label} ref={list} popover="manual" onKeyDown={onKeyDown}>
      {actions.map(({ label: name, icon, title, onPick }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class="option line"
          title={title}
          onClick={() => {
            onClose();
            onPick();
          }}
        >
          <Icon name={icon} />
          <span class="option-name">{name}</span>
        </button>
      ))}
    </div>
  );
}

/** Pixels between the button and the menu, and between the menu and the edge of the page. */
const GAP = 4;

/** Over everything, beside its button: an entry paints nothing outside of itself. Closes when what is below it moves away. */
function useOnTop(
  list: { current: HTMLDivElement | null },
  button: { readonly current: HTMLElement | null },
  open: Signal<boolean>,
): void {
  useLayoutEffect(() => {
    const [menu, anchor] = [list.current, button.current?.getBoundingClientRect()];
    if (!menu || !anchor) return;
    menu.showPopover();
    const { width, height } = menu.getBoundingClientRect();
    const below = anchor.bottom + GAP + height <= window.innerHeight;
    const top = below ? anchor.bottom + GAP : Math.max(GAP, anchor.top - GAP - height);
    menu.style.top = `${top}px`;
    menu.style.left = `${Math.max(GAP, Math.min(anchor.right - width, window.innerWidth - width - GAP))}px`;
  }, [list, button]);
  useEffect(() => {
    const close = (event: Event): void => {
      if (event.target instanceof Node && list.current?.contains(event.target)) return;
      open.value = false;
    };
    window.addEventListener('resize', close);
    document.addEventListener('wheel', close, { passive: true });
    return () => {
      window.removeEventListener('resize', close);
      document.removeEventListener('wheel', close);
    };
  }, [list, open]);
}
