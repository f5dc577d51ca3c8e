import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../../base/l10n';
import { optionCategory, optionValues, displayedValue, valueName } from '../../../../shared/state/configOptionState';
import type { BooleanOption, SelectOption, ConfigOption } from '../../../../shared/state/configOptionState';
import { TypeAhead, nextListIndex } from '../../../controls/listNavigation';
import { configOptionKeyLabel } from './configOptionKeys';
import type { FittingOption, LabelForm } from './fitOptionLabels';
import { fitOptionLabels, labelForms } from './fitOptionLabels';
import { useClickOutside } from '../../../controls/useClickOutside';
import { usePage } from '../../pageContext';
import { Icon, IconButton } from '../../../controls/icon';
import { Listbox, itemId } from '../../../controls/listbox';
import type { ListboxProps } from '../../../controls/listbox';

/** Width in CSS pixels of the turn's status: its icon. */
const TURN_STATUS_PX = 28;
/** Padding and gaps of the row. */
const ROW_PADDING_PX = 30;
/** Padding of a picker, with its gap and icon. */
const COMBOBOX_PADDING_PX = 28;
const SWITCH_PADDING_PX = 36;
const LABEL_FONT_PX = 12;

/** Pickers in the agent's order, with labels that fit; those without room move behind a button. */
export function ConfigOptionPickers(): JSX.Element | null {
  const { store } = usePage();
  const row = useRef<HTMLDivElement>(null);
  const room = useSignal(Infinity);
  const selectors = store.selectors.value;
  const any = selectors.length > 0;
  useLayoutEffect(() => {
    const around = row.current?.parentElement;
    if (!around) return undefined;
    const others = [...around.children].filter((child) => child !== row.current && !child.matches('.turn-line'));
    const measure = (): void => {
      const taken = others.reduce((sum, other) => sum + other.getBoundingClientRect().width, 0);
      room.value = around.clientWidth - taken - TURN_STATUS_PX - ROW_PADDING_PX;
    };
    const observer = new ResizeObserver(measure);
    // The width of the buttons beside the row changes with the turn.
    for (const element of [around, ...others]) observer.observe(element);
    return () => observer.disconnect();
  }, [any, room]);
  if (!any) return null;
  const labels = fitOptionLabels(fittingOptions(selectors), room.value);
  const hidden = selectors.filter((_, index) => !labels[index]);
  return (
    <div class="selectors" ref={row}>
      {selectors.map((selector, index) => {
        const label = labels[index];
        return label && <ConfigOptionPicker key={selector.id} selector={selector} label={label} />;
      })}
      {hidden.length > 0 && <HiddenOptions selectors={hidden} />}
    </div>
  );
}

function fittingOptions(selectors: readonly ConfigOption[]): FittingOption[] {
  const context = document.createElement('canvas').getContext('2d');
  if (context) context.font = `${LABEL_FONT_PX}px ${getComputedStyle(document.body).fontFamily}`;
  const measure = (text: string): number => context?.measureText(text).width ?? text.length * LABEL_FONT_PX;
  return selectors.map((selector) => ({
    forms: labelForms(
      labelOf(selector),
      selector.kind === 'boolean' ? SWITCH_PADDING_PX : COMBOBOX_PADDING_PX,
      measure,
    ),
    isMode: optionCategory(selector) === 'mode',
  }));
}

/** The label of a picker: the value, or the option's name if the agent gives the value no name. */
function labelOf(selector: ConfigOption): string {
  const name = selector.kind === 'boolean' ? '' : valueName(selector);
  return name === '' ? selector.name : name;
}

interface PickerProps<Option extends ConfigOption = ConfigOption> {
  readonly selector: Option;
  /** Undefined in the list of "More options", where the whole label fits. */
  readonly label?: LabelForm | undefined;
}

function ConfigOptionPicker({ selector, label }: PickerProps): JSX.Element {
  const { post } = usePage();
  const choose = (value: string): void => post({ type: 'chooseOption', id: selector.id, value });
  return selector.kind === 'boolean' ? (
    <Switch selector={selector} label={label} />
  ) : (
    <Combobox selector={selector} label={label} onChoose={choose} />
  );
}

/** Screen readers get the whole label. */
function Label({ selector, label }: PickerProps): JSX.Element {
  const whole = labelOf(selector);
  if (label === undefined || label.text === whole) return <bdi class="clip">{whole}</bdi>;
  return (
    <>
      <bdi class="clip" aria-hidden="true">
        {label.text}
      </bdi>
      <bdi class="hidden-text">{whole}</bdi>
    </>
  );
}

function maxWidth(label: LabelForm | undefined): { readonly maxInlineSize?: string } {
  return label?.isClipped ? { maxInlineSize: `${label.width}px` } : {};
}

function HiddenOptions({ selectors }: { selectors: readonly ConfigOption[] }): JSX.Element {
  const open = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useClickOutside(box, open);
  const close = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    event.preventDefault();
    open.value = false;
    box.current?.querySelector<HTMLElement>('.icon-button')?.focus();
  };
  return (
    <div class="more" ref={box} onKeyDown={close}>
      <IconButton
        icon="settings"
        label={t('More options')}
        expanded={open.value}
        onClick={() => (open.value = !open.value)}
      />
      {open.value && (
        <div class="popup more-options" role="group" aria-label={t('More options')}>
          {selectors.map((selector) => (
            <div key={selector.id} class="more-option">
              {selector.kind === 'select' && (
                <span class="muted clip" aria-hidden="true">
                  {selector.name}
                </span>
              )}
              <ConfigOptionPicker selector={selector} />
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function Switch({ selector, label }: PickerProps<BooleanOption>): JSX.Element {
  const { post } = usePage();
  const on = displayedValue(selector) === true;
  return (
    <button
      type="button"
      role="switch"
      class="selector-button"
      style={maxWidth(label)}
      aria-checked={on}
      aria-label={selector.name}
      title={selector.description ?? selector.name}
      onClick={() => post({ type: 'chooseOption', id: selector.id, value: !on })}
    >
      <span class={on ? 'toggle on' : 'toggle'} aria-hidden="true" />
      <Label selector={selector} label={label} />
    </button>
  );
}

interface ComboboxProps extends PickerProps<SelectOption> {
  readonly onChoose: (value: string) => void;
}

/** A select-only combobox (WAI-ARIA): keeps the focus, and points to the list by `aria-activedescendant`. */
export function Combobox({ selector, label, onChoose }: ComboboxProps): JSX.Element {
  const { store } = usePage();
  const listId = useId();
  /** Index of the value that Enter selects; undefined while closed. */
  const active = useSignal<number | undefined>(undefined);
  const value = displayedValue(selector);
  const choices = optionValues(selector);
  const open = active.value !== undefined && choices.length > 0;
  const at = Math.min(active.value ?? 0, choices.length - 1);
  const start = selectedIndex(selector);
  const pick = (index: number): void => {
    active.value = undefined;
    const choice = choices[index];
    if (choice && choice.value !== value) onChoose(choice.value);
  };
  const onKeyDown = useComboboxKeys({ active, start, names: choices.map(({ name }) => name), pick });
  const hover = (index: number): void => void (active.value = index);
  return (
    <>
      <button
        type="button"
        role="combobox"
        class="selector-button"
        style={maxWidth(label)}
        data-selector={selector.id}
        aria-label={selector.name}
        aria-haspopup="listbox"
        aria-expanded={open}
        {...(open && { 'aria-controls': listId, 'aria-activedescendant': itemId(listId, at) })}
        title={titleOf(selector, store.environment.value.mac)}
        onClick={() => (active.value = open ? undefined : start)}
        onKeyDown={onKeyDown}
        onBlur={() => (active.value = undefined)}
      >
        <Label selector={selector} label={label} />
        <Icon name="chevron-down" />
      </button>
      {open && <Choices selector={selector} id={listId} active={at} onPick={pick} onHover={hover} />}
    </>
  );
}

/** The initial active index: the current value. */
function selectedIndex(selector: SelectOption): number {
  const value = displayedValue(selector);
  return Math.max(
    0,
    optionValues(selector).findIndex((choice) => choice.value === value),
  );
}

function titleOf(selector: SelectOption, mac: boolean): string {
  const key = configOptionKeyLabel(selector, mac);
  const title = `${selector.name}: ${valueName(selector)}`;
  return key === undefined ? title : `${title} (${key})`;
}

interface ChoicesProps extends Pick<ListboxProps, 'id' | 'active' | 'onPick' | 'onHover'> {
  readonly selector: SelectOption;
}

function Choices({ selector, ...list }: ChoicesProps): JSX.Element {
  const value = displayedValue(selector);
  const groups = selector.groups.map(({ name, choices }) => ({
    name,
    items: choices.map((choice) => ({
      key: choice.value,
      label: choice.name,
      description: choice.description,
      selected: choice.value === value,
    })),
  }));
  return <Listbox {...list} label={selector.name} groups={groups} checks />;
}

interface ComboboxKeys {
  readonly active: { value: number | undefined };
  readonly start: number;
  readonly names: readonly string[];
  readonly pick: (index: number) => void;
}

function useComboboxKeys({ active, start, names, pick }: ComboboxKeys): (event: KeyboardEvent) => void {
  const typeAhead = useRef(new TypeAhead());
  return (event) => {
    if (event.ctrlKey || event.metaKey) return;
    const at = active.value;
    const typed = typeAhead.current.find(event, names, at ?? start);
    const moved = nextListIndex(event.key, at ?? start, names.length);
    if (typed !== undefined) active.value = typed;
    else if (at === undefined) {
      if (!['ArrowDown', 'ArrowUp', 'Enter', ' '].includes(event.key)) return;
      active.value = start;
    } else if (moved !== undefined) active.value = moved;
    else if (event.key === 'Enter' || event.key === ' ') pick(Math.min(at, names.length - 1));
    else if (event.key === 'Escape') active.value = undefined;
    else return;
    event.preventDefault();
  };
}
