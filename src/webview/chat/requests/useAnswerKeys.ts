import { computed, signal, useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PermissionOption } from '../../../shared/state/toolCallState';
import { usePage } from '../pageContext';

/** Requests whose buttons are in sight. */
const inSight = signal<ReadonlySet<Element>>(new Set());
/** The first of them. */
const firstInSight = computed(() => {
  const isBefore = (one: Element, other: Element): boolean =>
    (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return [...inSight.value].toSorted((one, other) => (isBefore(one, other) ? -1 : 1))[0];
});

function setInSight(element: Element, isShown: boolean): void {
  if (inSight.peek().has(element) === isShown) return;
  inSight.value = isShown
    ? new Set([...inSight.peek(), element])
    : new Set([...inSight.peek()].filter((one) => one !== element));
}

/** Elements that use digits themselves. */
const TYPES_DIGITS =
  'input, textarea, select, [contenteditable], [role="combobox"], [role="menu"] *, [role="listbox"] *';

/**
 * Answers a permission request by keys, from the request or, for the first one in sight, from the rest of the page: digits outside text
 * and in the empty message box, Ctrl+Enter (Cmd+Enter) in that box for the option that allows once.
 * @returns whether keys outside requests answer this one
 */
export function useAnswerKeys(
  group: { readonly current: HTMLElement | null },
  options: readonly PermissionOption[],
  answer: (option: PermissionOption | undefined) => void,
): boolean {
  const { store } = usePage();
  const latest = useRef({ options, answer });
  latest.current = { options, answer };
  useLayoutEffect(() => {
    const element = group.current;
    const buttons = element?.querySelector('.buttons');
    if (!element || !buttons) return undefined;
    const observer = new IntersectionObserver(
      (changes) => setInSight(element, changes.at(-1)?.isIntersecting === true),
      { root: element.closest('.log') },
    );
    observer.observe(buttons);
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.isComposing || event.altKey || store.tools.open.peek()) return;
      const focused = event.target instanceof Element ? event.target : undefined;
      if ((focused?.closest('.question') ?? firstInSight.peek()) !== element) return;
      const option = optionForKey(event, focused, latest.current.options, store.environment.peek().mac);
      if (!option) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current.answer(option);
    };
    // Captured: before the message box uses the key.
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => {
      document.removeEventListener('keydown', onKeyDown, { capture: true });
      observer.disconnect();
      setInSight(element, false);
    };
  }, [group, store]);
  return useComputed(() => firstInSight.value !== undefined && firstInSight.value === group.current).value;
}

function optionForKey(
  { key, ctrlKey, metaKey }: KeyboardEvent,
  focused: Element | undefined,
  options: readonly PermissionOption[],
  mac: boolean,
): PermissionOption | undefined {
  const isEmptyBox = focused !== undefined && isEmptyMessageBox(focused);
  const isAllow = key === 'Enter' && (mac ? metaKey && !ctrlKey : ctrlKey && !metaKey);
  if (isAllow) return isEmptyBox ? options.find(({ kind }) => kind === 'allow_once') : undefined;
  if (ctrlKey || metaKey || !/^[1-9]$/.test(key)) return undefined;
  return isEmptyBox || !focused?.matches(TYPES_DIGITS) ? options[Number(key) - 1] : undefined;
}

function isEmptyMessageBox(element: Element): boolean {
  if (!(element instanceof HTMLTextAreaElement) || element.value !== '') return false;
  const composer = element.closest('.composer');
  return composer !== null && composer.querySelector('.attached') === null;
}
