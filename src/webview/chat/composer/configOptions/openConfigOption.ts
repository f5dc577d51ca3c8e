/** Opens the list of a config option by id, also behind "More options". */
export function openConfigOption(id: string): void {
  const find = (): HTMLElement | null => document.querySelector(`.selectors [data-selector="${CSS.escape(id)}"]`);
  const back = document.activeElement;
  const here = find();
  if (here) return open(here, back);
  document.querySelector<HTMLElement>('.selectors .more > [aria-expanded="false"]')?.click();
  requestAnimationFrame(() => {
    const inMore = find();
    if (inMore) open(inMore, back);
  });
}

/** Closing by key restores the focus. */
function open(list: HTMLElement, back: Element | null): void {
  list.focus();
  if (list.getAttribute('aria-expanded') === 'false') list.click();
  if (!(back instanceof HTMLElement) || back === list || back === document.body) return;
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'Enter' || key === 'Escape') back.focus();
    // A space selects the item, unless it belongs to a typed name.
    if (key === ' ') requestAnimationFrame(() => list.getAttribute('aria-expanded') === 'false' && back.focus());
  };
  list.addEventListener('keydown', onKeyDown);
  list.addEventListener('blur', () => list.removeEventListener('keydown', onKeyDown), { once: true });
}
