import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon';

export interface ListItem {
  readonly key: string;
  readonly label: string;
  /** After the label, such as the arguments of a command. */
  readonly hint?: string | undefined;
  readonly description?: string | undefined;
  /** Name of the codicon. */
  readonly icon?: string;
  readonly selected: boolean;
}

export interface ListGroup {
  readonly name?: string | undefined;
  readonly items: readonly ListItem[];
}

export interface ListboxProps {
  readonly id: string;
  readonly label: string;
  readonly groups: readonly ListGroup[];
  /** Index across all groups of the item that Enter selects. */
  readonly active: number;
  /** Selected items have a check mark. */
  readonly checks?: boolean;
  /** The content is about to be replaced. */
  readonly busy?: boolean;
  readonly onPick: (index: number) => void;
  readonly onHover: (index: number) => void;
}

/** The id of an item for `aria-activedescendant`. */
export function itemId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

/** A list above the composer. The focus stays in the element that owns the list. */
export function Listbox(props: ListboxProps): JSX.Element {
  const { id, label, groups, active, checks = false, busy, onPick, onHover } = props;
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest' });
  }, [active, groups]);
  const own = { ref: list, onMouseDown: keepFocus };
  let next = 0;
  const options = (items: readonly ListItem[]): JSX.Element[] =>
    items.map((item) => {
      const index = next++;
      const hover = (): void => void (index !== active && onHover(index));
      const isActive = index === active;
      return (
        <Option
          key={item.key}
          {...{ item, checks }}
          id={itemId(id, index)}
          active={isActive}
          onPick={() => onPick(index)}
          onHover={hover}
        />
      );
    });
  return (
    <div class="popup listbox" role="listbox" id={id} aria-label={label} aria-busy={busy} {...own}>
      {groups.map(({ name, items }, index) => {
        if (name === undefined) return options(items);
        return (
          <div key={index} role="group" aria-label={name}>
            <bdi class="option-group muted" aria-hidden="true">
              {name}
            </bdi>
            {options(items)}
          </div>
        );
      })}
    </div>
  );
}

interface OptionProps {
  readonly item: ListItem;
  readonly id: string;
  readonly active: boolean;
  readonly checks: boolean;
  readonly onPick: () => void;
  readonly onHover: () => void;
}

function Option({ item, id, active, checks, onPick, onHover }: OptionProps): JSX.Element {
  return (
    <div
      role="option"
      id={id}
      aria-selected={item.selected}
      class={`option${active ? ' active' : ''}${item.icon === undefined ? '' : ' line'}`}
      onClick={onPick}
      onPointerMove={onHover}
    >
      {checks && <Icon name={item.selected ? 'check' : 'blank'} />}
      {item.icon !== undefined && <Icon name={item.icon} />}
      <bdi class="option-name">
        {item.label}
        {item.hint !== undefined && <span class="muted"> {item.hint}</span>}
      </bdi>
      {item.description !== undefined && <bdi class="option-text muted">{item.description}</bdi>}
    </div>
  );
}

function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
