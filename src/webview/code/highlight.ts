/** Colours a complete code block when the page is idle. */
export function highlightWhenIdle(_code: HTMLElement): void {}
