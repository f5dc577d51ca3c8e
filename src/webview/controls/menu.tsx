import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon';
import { TypeAhead, nextListIndex } from './listNavigation';
import { useClickOutside } from './useClickOutside';
import { usePopover } from './usePopover';

export interface MenuItem {
  readonly label: string;
  readonly icon?: string;
  readonly description?: string;
  /** Shown on hover: its effect or its key. */
  readonly title?: string;
  /** For radio items: whether it is selected. */
  readonly checked?: boolean;
  readonly onPick: () => void;
}

interface MenuButtonProps {
  /** Name of the button. */
  readonly label: string;
  readonly title?: string;
  /** Name of the menu, if different. */
  readonly menuLabel?: string;
  readonly items: readonly MenuItem[];
  readonly class: 'icon-button' | 'link-button';
  /** Visible content of the button. */
  readonly children: ComponentChildren;
}

/** A button with a menu (WAI-ARIA menu button). */
export function MenuButton(props: MenuButtonProps): JSX.Element {
  const { label, title = label, menuLabel = label, items, children } = props;
  const open = useSignal(false);
  const box = useRef<HTMLSpanElement>(null);
  const close = (): void => {
    open.value = false;
    box.current?.querySelector('button')?.focus();
  };
  const openByKey = (event: KeyboardEvent): void => {
    // With Alt the arrows go from entry to entry.
    if (open.peek() || event.altKey || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    open.value = true;
  };
  return (
    <span class="menu-button" ref={box}>
      <button
        type="button"
        class={props.class}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open.value}
        title={title}
        onClick={() => (open.value = !open.value)}
        onKeyDown={openByKey}
      >
        {children}
      </button>
      {open.value && <Menu label={menuLabel} items={items} open={open} box={box} onClose={close} />}
    </span>
  );
}

interface MenuProps extends Pick<MenuButtonProps, 'label' | 'items'> {
  readonly open: Signal<boolean>;
  readonly box: { readonly current: HTMLElement | null };
  readonly onClose: () => void;
}

function Menu({ label, items, open, box, onClose }: MenuProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const typeAhead = useRef(new TypeAhead());
  const focus = (index: number): void => list.current?.querySelectorAll<HTMLElement>('button')[index]?.focus();
  // Listens only while the menu is open, because every message has a menu.
  useClickOutside(box, open);
  usePopover(list, box, 'end', () => (open.value = false));
  const first = items.findIndex(({ checked }) => checked);
  useLayoutEffect(() => focus(Math.max(0, first)), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Array.from(list.current?.children ?? []).indexOf(document.activeElement as Element);
    const names = items.map(({ label: name }) => name);
    const moved = typeAhead.current.find(event, names, at) ?? nextListIndex(event.key, at, items.length);
    if (moved !== undefined) focus(moved);
    else if (event.key === 'Escape' || event.key === 'Tab') onClose();
    else return;
    event.stopPropagation();
    // Tab continues from the button.
    if (event.key !== 'Tab') event.preventDefault();
  };
  return (
    <div class="popup on-top menu" role="menu" aria-label={label} ref={list} popover="manual" onKeyDown={onKeyDown}>
      {items.map((item) => (
        <Item key={item.label} item={item} onClose={onClose} />
      ))}
    </div>
  );
}

function Item({ item, onClose }: { item: MenuItem; onClose: () => void }): JSX.Element {
  const { label, icon, description, title, checked, onPick } = item;
  const pick = (): void => {
    onClose();
    if (checked !== true) onPick();
  };
  return (
    <button
      type="button"
      role={checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={checked}
      tabIndex={-1}
      class={description === undefined ? 'option line' : 'option'}
      title={title}
      onClick={pick}
    >
      <Icon name={icon ?? (checked ? 'check' : 'blank')} />
      <span class="option-name">{label}</span>
      {description !== undefined && <span class="option-text muted">{description}</span>}
    </button>
  );
}
