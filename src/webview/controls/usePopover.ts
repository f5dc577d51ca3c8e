import { useEffect, useLayoutEffect } from 'preact/hooks';

interface Element {
  readonly current: HTMLElement | null;
}

/** Pixels between anchor and popover, and between popover and page edge. */
const POPOVER_GAP_PX = 4;

/**
 * Shows a popover in the top layer beside its anchor, because an entry clips its content.
 * @param side alignment with the anchor
 * @param onAway called when the content below has moved
 */
export function usePopover(popup: Element, anchor: Element, side: 'start' | 'end', onAway: () => void): void {
  // At each rendering, because its content and size may have changed.
  useLayoutEffect(() => {
    if (popup.current && anchor.current) place(popup.current, anchor.current.getBoundingClientRect(), side);
  });
  useEffect(() => {
    const away = (event: Event): void => {
      if (!(event.target instanceof Node && popup.current?.contains(event.target))) onAway();
    };
    window.addEventListener('resize', away);
    document.addEventListener('wheel', away, { passive: true });
    return () => {
      window.removeEventListener('resize', away);
      document.removeEventListener('wheel', away);
    };
  });
}

function place(popup: HTMLElement, anchor: DOMRect, side: 'start' | 'end'): void {
  if (!popup.matches(':popover-open')) popup.showPopover();
  const { width, height } = popup.getBoundingClientRect();
  const hasRoom = anchor.bottom + POPOVER_GAP_PX + height <= window.innerHeight;
  popup.style.top = `${hasRoom ? anchor.bottom + POPOVER_GAP_PX : Math.max(POPOVER_GAP_PX, anchor.top - POPOVER_GAP_PX - height)}px`;
  const left = side === 'end' ? anchor.right - width : anchor.left;
  popup.style.left = `${Math.max(POPOVER_GAP_PX, Math.min(left, window.innerWidth - width - POPOVER_GAP_PX))}px`;
}
