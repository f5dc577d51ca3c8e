import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { TypeAhead, listMove } from '../listKeys';
import { useCloseOutside } from './closeOutside';
import { Icon } from './icon';

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  readonly description: string;
}

interface MenuButtonProps {
  /** Of the button; what is chosen stands in it beside this. */
  readonly label: string;
  /** Of the menu. */
  readonly menuLabel: string;
  readonly items: readonly MenuItem[];
  readonly chosen: string;
  readonly onPick: (id: string) => void;
}

/** A button with a menu in which one item is always chosen (WAI-ARIA menu button, menuitemradio). */
export function MenuButton(props: MenuButtonProps): JSX.Element {
  const { label, menuLabel, items, chosen } = props;
  const open = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const close = (): void => {
    open.value = false;
    box.current?.querySelector('button')?.focus();
  };
  useCloseOutside(box, open);
  const openByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    open.value = true;
  };
  const name = items.find(({ id }) => id === chosen)?.label ?? chosen;
  return (
    <div class="menu-button" ref={box}>
      <button
        type="button"
        class="link-button"
        aria-label={`${label}: ${name}`}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open.value}
        onClick={() => (open.value = !open.value)}
        onKeyDown={openByKey}
      >
        {name}
        <Icon name="chevron-down" />
      </button>
      {open.value && (
        <div class="menu-line">
          <Menu {...props} label={menuLabel} onClose={close} />
        </div>
      )}
    </div>
  );
}

interface MenuProps extends Pick<MenuButtonProps, 'label' | 'items' | 'chosen' | 'onPick'> {
  readonly onClose: () => void;
}

function Menu({ label, items, chosen, onPick, onClose }: MenuProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const typeAhead = useRef(new TypeAhead());
  const focus = (index: number): void => list.current?.querySelectorAll<HTMLElement>('button')[index]?.focus();
  useLayoutEffect(() => {
    focus(
      Math.max(
        0,
        items.findIndex(({ id }) => id === chosen),
      ),
    );
    list.current?.scrollIntoView({ block: 'nearest' });
    // Only when it opens.
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Array.from(list.current?.children ?? []).indexOf(document.activeElement as Element);
    const names = items.map(({ label: name }) => name);
    const moved = typeAhead.current.find(event, names, at) ?? listMove(event.key, at, items.length);
    if (moved !== undefined) focus(moved);
    else if (event.key === 'Escape' || event.key === 'Tab') onClose();
    else return;
    event.stopPropagation();
    // Tab goes on from the button.
    if (event.key !== 'Tab') event.preventDefault();
  };
  return (
    <div class="popup menu" role="menu" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {items.map((item) => (
        <Item
          key={item.id}
          item={item}
          checked={item.id === chosen}
          onClick={() => {
            if (item.id !== chosen) onPick(item.id);
            onClose();
          }}
        />
      ))}
    </div>
  );
}

interface ItemProps {
  readonly item: MenuItem;
  readonly checked: boolean;
  readonly onClick: () => void;
}

function Item({ item, checked, onClick }: ItemProps): JSX.Element {
  return (
    <button type="button" role="menuitemradio" tabIndex={-1} aria-checked={checked} class="option" onClick={onClick}>
      <Icon name={checked ? 'check' : 'blank'} />
      <span class="option-name">{item.label}</span>
      <span class="option-text muted">{item.description}</span>
    </button>
  );
}
