/** Keys that move between entries of the conversation, and collapse or expand the focused one (docs/keyboard.md). */

/** The targets of the keys. */
interface EntryKeys {
  readonly log: HTMLElement;
  /** On macOS, Alt with an arrow key moves by paragraphs in a text field. */
  readonly mac: boolean;
  readonly toComposer: () => void;
}

/**
 * Alt+Up and Alt+Down from anywhere in the page; with Shift only user messages. Arrows, Enter and Escape on an entry.
 */
export function handleEntryKeys(event: KeyboardEvent, page: EntryKeys): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.isComposing) return;
  const isHandled = event.altKey ? goToEntry(event, page) : !event.shiftKey && onEntry(event, page);
  if (isHandled) event.preventDefault();
}

/** Focuses and reveals an entry: its permission request, else the whole entry. */
export function focusEntry(slot: HTMLElement): void {
  const element = slot.querySelector<HTMLElement>('.question, .entry:not(.permission), .answered') ?? slot;
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

function goToEntry({ key, shiftKey, target }: KeyboardEvent, { log, mac, toComposer }: EntryKeys): boolean {
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return false;
  if (mac && isText(target) && (target.selectionEnd ?? 0) > 0) return false;
  const slots = [...log.querySelectorAll<HTMLElement>(shiftKey ? '.slot.user-slot' : '.slot')];
  const here = document.activeElement;
  const next =
    key === 'ArrowUp'
      ? slots.findLast((slot) => isBefore(slot, here, log))
      : slots.find((slot) => isAfter(slot, here, log));
  if (next) showEntry(next, log);
  else if (key === 'ArrowDown' && here !== null && log.contains(here)) toComposer();
  return true;
}

/** From below the conversation, or from the conversation itself, moving up starts at its end. */
function isBefore(slot: Element, here: Element | null, log: Element): boolean {
  if (here === null || here === log || !log.contains(here)) return true;
  return !slot.contains(here) && follows(slot, here);
}

function isAfter(slot: Element, here: Element | null, log: Element): boolean {
  return here !== null && here !== log && log.contains(here) && !slot.contains(here) && follows(here, slot);
}

function follows(first: Element, second: Element): boolean {
  return (first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/** An entry higher than the page is aligned to its top. */
function showEntry(slot: HTMLElement, log: HTMLElement): void {
  focusEntry(slot);
  slot.scrollIntoView({ block: slot.offsetHeight > log.clientHeight ? 'start' : 'nearest' });
}

function onEntry({ key, target }: KeyboardEvent, { log, toComposer }: EntryKeys): boolean {
  if (!(target instanceof HTMLElement) || !log.contains(target) || !isEntryOrLog(target, log)) return false;
  if (key === 'Escape') {
    toComposer();
    return true;
  }
  return fold(key, target);
}

/** Whether the target is an entry or the conversation itself, not a control inside. */
function isEntryOrLog(target: HTMLElement, log: HTMLElement): boolean {
  return target === log || target.matches('.slot, .entry, .question');
}

function fold(key: string, entry: HTMLElement): boolean {
  const shouldOpen = { ArrowRight: false, ArrowLeft: true }[key];
  if (shouldOpen === undefined && key !== 'Enter') return false;
  const control = entry.querySelector<HTMLElement>('[aria-expanded]:not([aria-haspopup]), summary');
  if (!control || control.closest('.slot') !== entry.closest('.slot')) return false;
  if (shouldOpen === undefined || isOpen(control) === shouldOpen) control.click();
  return true;
}

function isOpen(control: HTMLElement): boolean {
  return control.parentElement instanceof HTMLDetailsElement
    ? control.parentElement.open
    : control.getAttribute('aria-expanded') === 'true';
}

function isText(target: EventTarget | null): target is HTMLTextAreaElement | HTMLInputElement {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
