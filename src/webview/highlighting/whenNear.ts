/** Work for elements whose surroundings (`content-visibility: auto`) are too far from the view to be rendered. */
const far = new Map<Element, () => void>();
let isListening = false;

/** Whether the browser renders the element, or would if the user scrolled a little. */
export function isRendered(element: Element): boolean {
  return element.checkVisibility({ contentVisibilityAuto: true });
}

/**
 * Calls `run` when an element that is not rendered comes near the view.
 * @returns cancels
 */
export function whenNear(element: Element, run: () => void): () => void {
  if (!isListening) document.addEventListener('contentvisibilityautostatechange', check, { capture: true });
  isListening = true;
  far.set(element, run);
  return () => forget(element);
}

/** Elements that may be near, until the next frame. */
const added = new Map<Element, () => void>();

/**
 * As {@link whenNear}, for an element that may be near already. All are checked together with the next frame: what `run` changes
 * would cause a layout for each.
 * @returns cancels
 */
export function onceNear(element: Element, run: () => void): () => void {
  if (added.size === 0) requestAnimationFrame(checkAdded);
  added.set(element, run);
  return () => forget(element);
}

function forget(element: Element): void {
  added.delete(element);
  far.delete(element);
}

function checkAdded(): void {
  const all = [...added];
  added.clear();
  const near = all.filter(([element]) => isRendered(element));
  for (const [element, run] of all) whenNear(element, run);
  for (const [element, run] of near) {
    far.delete(element);
    run();
  }
}

/** The elements in the target may still be far away. */
function check({ target }: Event): void {
  if (!(target instanceof Element)) return;
  for (const [element, run] of far) {
    // A removed element would keep its whole conversation in memory.
    if (!element.isConnected) far.delete(element);
    else if (target.contains(element)) onceNear(element, run);
  }
}
