import type { Selector } from '../shared/selectors';

/** The keys with which VS Code opens the lists of modes and models of its own chat; undefined for what has none. */
export function selectorKeyLabel({ kind, category, source }: Selector, mac: boolean): string | undefined {
  if (kind !== 'select') return undefined;
  const labels: Partial<Record<string, string>> = { mode: mac ? '⌘.' : 'Ctrl+.', model: mac ? '⌥⌘.' : 'Ctrl+Alt+.' };
  return labels[category ?? source];
}

/** Opens a list from anywhere in the page. What closes it again by a key leads back to where the focus was. */
export function selectorKeys(event: KeyboardEvent, selectors: readonly Selector[], mac: boolean): void {
  if (event.key !== '.' || event.defaultPrevented || event.shiftKey || !(mac ? event.metaKey : event.ctrlKey)) return;
  const wanted = event.altKey ? 'model' : 'mode';
  const selector = selectors.find((one) => one.kind === 'select' && (one.category ?? one.source) === wanted);
  if (!selector) return;
  event.preventDefault();
  const find = (): HTMLElement | null =>
    document.querySelector(`.selectors [data-selector="${CSS.escape(selector.id)}"]`);
  const back = document.activeElement;
  const here = find();
  if (here) return open(here, back);
  document.querySelector<HTMLElement>('.selectors .more > [aria-expanded="false"]')?.click();
  requestAnimationFrame(() => {
    const inMore = find();
    if (inMore) open(inMore, back);
  });
}

function open(list: HTMLElement, back: Element | null): void {
  list.focus();
  if (list.getAttribute('aria-expanded') === 'false') list.click();
  if (!(back instanceof HTMLElement) || back === list || back === document.body) return;
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'Enter' || key === 'Escape') back.focus();
  };
  list.addEventListener('keydown', onKeyDown);
  list.addEventListener('blur', () => list.removeEventListener('keydown', onKeyDown), { once: true });
}
