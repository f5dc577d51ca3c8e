/**
 * Lets the conversation scroll to its end at once, if it follows it. Otherwise the browser first renders the new content near the old end,
 * and then that near the new one.
 */
export function announceGrowth(element: Element): void {
  element.dispatchEvent(new Event('grow', { bubbles: true }));
}
