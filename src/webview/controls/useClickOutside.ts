import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/**
 * Closes an open element when the user clicks or focuses outside.
 * @param box the element that counts as inside
 */
export function useClickOutside(box: { current: HTMLElement | null }, open: Signal<boolean>): void {
  useEffect(() => {
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) open.value = false;
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
    };
  }, [box, open]);
}
