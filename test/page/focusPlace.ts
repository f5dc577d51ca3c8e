export interface FocusPlace {
  /** The accessible name, or the text; `nothing` for the document. */
  readonly name: string;
  /** Whether a ring or border shows the focus. */
  readonly isMarked: boolean;
  /** Classes of the ancestor that clips the ring; empty if the ring is complete. */
  readonly cutBy: string;
  /** Whether the whole ring is on the screen, or as much as fits. */
  readonly isInView: boolean;
}

/** Runs in the page: nothing has the focus, and Tab begins at the start. */
export function focusNothing(): void {
  const { body } = document;
  body.tabIndex = -1;
  body.focus();
  body.removeAttribute('tabindex');
}

/** Runs in the page: only the name of `focused`, without a new layout. */
export function focusedName(): string {
  const on = document.activeElement;
  if (!on || on === document.body) return 'nothing';
  const label = on.matches('input, select') ? (on as HTMLInputElement).labels?.[0] : undefined;
  const named = on.getAttribute('aria-label') ?? (label ?? on).textContent ?? '';
  return named.replaceAll(/\s+/g, ' ').trim();
}

/** Runs in the page: the focused element, and whether its focus ring is visible. */
export function focused(): FocusPlace {
  const on = document.activeElement;
  if (!on || on === document.body) return { name: 'nothing', isMarked: false, cutBy: '', isInView: false };
  const label = on.matches('input, select') ? (on as HTMLInputElement).labels?.[0] : undefined;
  const named = on.getAttribute('aria-label') ?? (label ?? on).textContent ?? '';
  const focus = document.createElement('i');
  focus.style.color = 'var(--vscode-focusBorder)';
  document.body.append(focus);
  const wanted = getComputedStyle(focus).color;
  focus.remove();
  // The ring of a focused option is drawn on the row above.
  const above = on.matches('.merged') ? on.closest('.slot')?.previousElementSibling?.querySelector('.tool') : undefined;
  const shown = above ?? on;
  const isMarked = [shown, on.closest('.composer, .message-editor, .bar, .changed-file, .log')].some((one) => {
    if (!one) return false;
    const { outlineStyle, outlineWidth, borderColor, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || `${borderColor}${boxShadow}`.includes(wanted);
  });
  const { outlineStyle, outlineOffset, outlineWidth } = getComputedStyle(shown);
  const reach = outlineStyle === 'none' ? 0 : parseFloat(outlineOffset) + parseFloat(outlineWidth);
  const box = shown.getBoundingClientRect();
  // Half a pixel less: edges of rows are not at whole pixels.
  const grow = Math.max(reach, 0) - 0.5;
  let [left, right, top, bottom] = [box.left - grow, box.right + grow, box.top - grow, box.bottom + grow];
  let cutBy = '';
  let isInView = box.width > 0 && box.height > 0;
  for (let up: Element | null = shown.parentElement; up; up = up.parentElement) {
    const { contentVisibility, overflowClipMargin, overflowX, overflowY } = getComputedStyle(up);
    const edge = up.getBoundingClientRect();
    if (contentVisibility === 'auto') {
      const margin = parseFloat(overflowClipMargin);
      const [above, below] = [edge.top - margin - top, bottom - edge.bottom - margin];
      if (Math.max(above, below, edge.left - margin - left, right - edge.right - margin) > 0) cutBy = up.className;
    }
    const isCut = top < edge.top || bottom > edge.bottom;
    if (overflowX !== 'visible' && (left < edge.left || right > edge.right)) cutBy = `${up.tagName}.${up.className}`;
    if ((overflowY === 'hidden' || overflowY === 'clip') && isCut) cutBy = `${up.tagName}.${up.className}`;
    if (overflowY === 'auto' || overflowY === 'scroll') {
      const isTooHigh = bottom - top > edge.height && top < edge.bottom && bottom > edge.top;
      if (isCut && !isTooHigh) isInView = false;
      [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
    }
    // In the top layer, outside of any clipping ancestor.
    if (up.matches(':popover-open')) break;
  }
  return { name: named.replaceAll(/\s+/g, ' ').trim(), isMarked, cutBy, isInView };
}
