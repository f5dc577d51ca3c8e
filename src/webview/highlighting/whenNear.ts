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
  return () => void far.delete(element);
}

function check({ target }: Event): void {
  for (const [element, run] of far) {
    // A removed element would keep its whole conversation in memory.
    if (!element.isConnected) far.delete(element);
    // The event may be of an outer element while this element is still far away.
    else if (target instanceof Element && target.contains(element) && isRendered(element)) {
      far.delete(element);
      run();
    }
  }
}
