import { focusEntry } from './transcript/entryNavigation';

/** Parts that keep the focus when a control in them is removed. */
const AREAS = '.slot, .log, section';
const CONTROLS = 'button, a[href], input, select, textarea, summary, [tabindex]';

/**
 * Keeps the focus in the page when the focused element is removed or moved, as by an answer, Keep or Dismiss: the focus goes to the
 * control that takes its place, else to the part around it, else to the message box. Never takes the focus from another window or view.
 * VS Code gives the focus to the page only, as after Find or when the view is shown: the last element gets it, else the message box.
 */
export function keepFocus(root: HTMLElement, toComposer: () => void): void {
  let focused: Element | undefined;
  let last: Element | undefined;
  const restore = (changes: readonly MutationRecord[]): void => {
    const isLost = document.activeElement === document.body && document.hasFocus();
    const change = focused && isLost ? removalOf(focused, changes) : undefined;
    if (!focused || !change) return;
    if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    else if (!focusNeighbor(change, changes)) toComposer();
    // Read-only sessions have no message box.
    if (document.activeElement === document.body) root.querySelector<HTMLElement>('.log')?.focus();
  };
  const observer = new MutationObserver(restore);
  const forget = (): void => {
    focused = undefined;
    observer.disconnect();
  };
  root.addEventListener('focusin', ({ target }) => {
    focused = target instanceof Element ? target : undefined;
    last = focused;
    observer.observe(root, { childList: true, subtree: true });
  });
  // Captured: before handlers that remove the element because it loses the focus.
  const onBlur = ({ relatedTarget }: FocusEvent): void => {
    if (relatedTarget !== null) return forget();
    // The user moved the focus, or the element is being removed: only after the change can the two be told apart.
    queueMicrotask(() => {
      restore(observer.takeRecords());
      if (document.activeElement === document.body) forget();
    });
  };
  root.addEventListener('blur', onBlur, { capture: true });
  window.addEventListener('focus', () => {
    requestAnimationFrame(() => {
      const isLost = document.activeElement === document.body && document.hasFocus() && !root.matches(':active');
      if (!isLost) return;
      if (last instanceof HTMLElement && last.isConnected) last.focus({ preventScroll: true });
      else toComposer();
    });
  });
}

/** The change that removed the element, or the innermost connected part around it. */
function removalOf(lost: Node, changes: readonly MutationRecord[]): MutationRecord | undefined {
  const change = changes.findLast(({ removedNodes }) => [...removedNodes].some((node) => node.contains(lost)));
  return change && !change.target.isConnected ? removalOf(change.target, changes) : change;
}

/** @returns whether there is a place for the focus other than the message box */
function focusNeighbor(change: MutationRecord, changes: readonly MutationRecord[]): boolean {
  const { target, previousSibling } = change;
  const area = target instanceof Element ? target.closest<HTMLElement>(AREAS) : null;
  if (!area) return false;
  if (area.matches('.log')) area.focus();
  else if (area === target && area.matches('.slot')) focusEntry(area);
  else {
    const control = controlIn(nextOf(change, changes)) ?? controlIn(previousSibling);
    if (control) control.focus();
    else if (area.matches('.slot')) focusEntry(area);
    else controlIn(area)?.focus();
  }
  return document.activeElement !== document.body;
}

/** The node after the removed one, beyond those that were removed with it: Keep takes Undo along. */
function nextOf({ target, nextSibling }: MutationRecord, changes: readonly MutationRecord[]): Node | null {
  if (nextSibling === null || nextSibling.isConnected) return nextSibling;
  const removal = changes.findLast(
    (change) => change.target === target && [...change.removedNodes].includes(nextSibling),
  );
  return removal ? nextOf(removal, changes) : null;
}

function controlIn(node: Node | null): HTMLElement | undefined {
  if (!(node instanceof HTMLElement) || !node.isConnected) return undefined;
  const all = [node, ...node.querySelectorAll<HTMLElement>(CONTROLS)];
  return all.find((each) => each.matches(CONTROLS) && each.checkVisibility({ visibilityProperty: true }));
}
