import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../../base/l10n';
import { optionCategory, optionValues, displayedValue, valueName } from '../../../../shared/state/configOptionState';
import type { BooleanOption, SelectOption, ConfigOption } from '../../../../shared/state/configOptionState';
import { Icon, IconButton } from '../../../controls/icon';
import { Listbox, itemId } from '../../../controls/listbox';
import type { ListboxProps } from '../../../controls/listbox';
import { TypeAhead, nextListIndex } from '../../../controls/listNavigation';
import { useClickOutside } from '../../../controls/useClickOutside';
import { usePage } from '../../pageContext';
import { configOptionKeyLabel } from './configOptionKeys';
import type { FittingOption, LabelForm } from './fitOptionLabels';
import { fitOptionLabels, labelForms } from './fitOptionLabels';

/** Padding and gaps of the row, in CSS pixels. */
const ROW_PADDING_PX = 20;
/** Padding of a picker, with its gap and icon. */
const COMBOBOX_PADDING_PX = 28;
const SWITCH_PADDING_PX = 36;
const LABEL_FONT_PX = 12;

/** Pickers in the agent's order, with labels that fit; those without room move behind a button. */
export function ConfigOptionPickers(): JSX.Element | null {
  const { store } = usePage();
  const row = useRef<HTMLDivElement>(null);
  const room = useSignal(Infinity);
  const options = store.configOptions.value;
  const hasOptions = options.length > 0;
  useLayoutEffect(() => {
    const around = row.current?.parentElement;
    if (!around) return undefined;
    const others = [...around.children].filter((child) => child !== row.current);
    const measure = (): void => {
      const taken = others.reduce((sum, other) => sum + other.getBoundingClientRect().width, 0);
      room.value = around.clientWidth - taken - ROW_PADDING_PX;
    };
    const observer = new ResizeObserver(measure);
    // The width of the buttons beside the row changes with the turn.
    for (const element of [around, ...others]) observer.observe(element);
    return () => observer.disconnect();
  }, [hasOptions, room]);
  if (!hasOptions) return null;
  const labels = fitOptionLabels(fittingOptions(options), room.value);
  const hidden = options.filter((_, index) => !labels[index]);
  return (
    <div class="selectors" ref={row}>
      {options.map((option, index) => {
        const label = labels[index];
        return label && <ConfigOptionPicker key={option.id} option={option} label={label} />;
      })}
      {hidden.length > 0 && <HiddenOptions options={hidden} />}
    </div>
  );
}

function fittingOptions(options: readonly ConfigOption[]): FittingOption[] {
  const context = document.createElement('canvas').getContext('2d');
  if (context) context.font = `${LABEL_FONT_PX}px ${getComputedStyle(document.body).fontFamily}`;
  const measure = (text: string): number => context?.measureText(text).width ?? text.length * LABEL_FONT_PX;
  return options.map((option) => {
    const category = optionCategory(option);
    return {
      forms: labelForms(
        labelOf(option, options),
        option.kind === 'boolean' ? SWITCH_PADDING_PX : COMBOBOX_PADDING_PX,
        measure,
      ),
      ...((category === 'mode' || category === 'model') && { kind: category }),
    };
  });
}

/**
 * The label of a picker: the value, or the option's name if the agent gives the value no name. The name stands before a value that would
 * look like another one when both are shortened.
 */
function labelOf(option: ConfigOption, all: readonly ConfigOption[]): string {
  const value = option.kind === 'boolean' ? '' : valueName(option);
  if (option.kind === 'boolean' || value === '') return option.name;
  const isAlike = all.some(
    (other) => other !== option && other.kind === 'select' && firstWord(valueName(other)) === firstWord(value),
  );
  return isAlike ? t('{0}: {1}', option.name, value) : value;
}

function firstWord(text: string): string {
  return text.trim().split(/\s+/)[0]?.toLowerCase() ?? '';
}

interface PickerProps<Option extends ConfigOption = ConfigOption> {
  readonly option: Option;
  /** Undefined in the list of "More options", where the whole label fits. */
  readonly label?: LabelForm | undefined;
}

function ConfigOptionPicker({ option, label }: PickerProps): JSX.Element {
  const { post } = usePage();
  const choose = (value: string): void => post({ type: 'chooseOption', id: option.id, value });
  return option.kind === 'boolean' ? (
    <Switch option={option} label={label} />
  ) : (
    <Combobox option={option} label={label} onChoose={choose} />
  );
}

/** Screen readers get the whole label. */
function Label({ option, label }: PickerProps): JSX.Element {
  const { store } = usePage();
  // In the list of "More options" the name stands beside the picker.
  const whole = labelOf(option, label === undefined ? [] : store.configOptions.value);
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

function HiddenOptions({ options }: { options: readonly ConfigOption[] }): JSX.Element {
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
          {options.map((option) => (
            <div key={option.id} class="more-option">
              {option.kind === 'select' && (
                <span class="muted clip" aria-hidden="true">
                  {option.name}
                </span>
              )}
              <ConfigOptionPicker option={option} />
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function Switch({ option, label }: PickerProps<BooleanOption>): JSX.Element {
  const { post } = usePage();
  const isOn = displayedValue(option) === true;
  return (
    <button
      type="button"
      role="switch"
      class="selector-button"
      style={maxWidth(label)}
      aria-checked={isOn}
      aria-label={option.name}
      title={option.description ?? option.name}
      onClick={() => post({ type: 'chooseOption', id: option.id, value: !isOn })}
    >
      <span class={isOn ? 'toggle on' : 'toggle'} aria-hidden="true" />
      <Label option={option} label={label} />
    </button>
  );
}

interface ComboboxProps extends PickerProps<SelectOption> {
  readonly onChoose: (value: string) => void;
}

/** A select-only combobox (WAI-ARIA): keeps the focus, and points to the list by `aria-activedescendant`. */
export function Combobox({ option, label, onChoose }: ComboboxProps): JSX.Element {
  const { store } = usePage();
  const listId = useId();
  /** Index of the value that Enter selects; undefined while closed. */
  const active = useSignal<number | undefined>(undefined);
  const value = displayedValue(option);
  const values = optionValues(option);
  const isOpen = active.value !== undefined && values.length > 0;
  const at = Math.min(active.value ?? 0, values.length - 1);
  const start = selectedIndex(option);
  const pick = (index: number): void => {
    active.value = undefined;
    const chosen = values[index];
    if (chosen && chosen.value !== value) onChoose(chosen.value);
  };
  const onKeyDown = useComboboxKeys({ active, start, names: values.map(({ name }) => name), pick });
  const hover = (index: number): void => void (active.value = index);
  return (
    <>
      <button
        type="button"
        role="combobox"
        class="selector-button"
        style={maxWidth(label)}
        data-selector={option.id}
        aria-label={option.name}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': listId, 'aria-activedescendant': itemId(listId, at) })}
        title={titleOf(option, store.environment.value.mac)}
        onClick={() => (active.value = isOpen ? undefined : start)}
        onKeyDown={onKeyDown}
        onBlur={() => (active.value = undefined)}
      >
        <Label option={option} label={label} />
        <Icon name="chevron-down" />
      </button>
      {isOpen && <Choices option={option} id={listId} active={at} onPick={pick} onHover={hover} />}
    </>
  );
}

/** The initial active index: the current value. */
function selectedIndex(option: SelectOption): number {
  const value = displayedValue(option);
  return Math.max(
    0,
    optionValues(option).findIndex((each) => each.value === value),
  );
}

function titleOf(option: SelectOption, mac: boolean): string {
  const key = configOptionKeyLabel(option, mac);
  const title = `${option.name}: ${valueName(option)}`;
  return key === undefined ? title : `${title} (${key})`;
}

interface ChoicesProps extends Pick<ListboxProps, 'id' | 'active' | 'onPick' | 'onHover'> {
  readonly option: SelectOption;
}

function Choices({ option, ...list }: ChoicesProps): JSX.Element {
  const value = displayedValue(option);
  const groups = option.groups.map(({ name, choices }) => ({
    name,
    items: choices.map((each) => ({
      key: each.value,
      label: each.name,
      description: each.description,
      selected: each.value === value,
    })),
  }));
  return <Listbox {...list} label={option.name} groups={groups} checks />;
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
