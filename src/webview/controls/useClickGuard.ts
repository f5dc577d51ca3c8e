import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Milliseconds in which new buttons are disabled, against misdirected clicks. */
const CLICK_GUARD_MS = 500;

/**
 * True for a moment after the first paint, each call of the function, and the page becoming visible.
 * @param moved also when this value changes, since buttons may have moved
 */
export function useClickGuard(moved?: unknown): readonly [boolean, () => void] {
  const [since, setSince] = useState<number | undefined>(() => performance.now());
  const restart = useCallback(() => setSince(performance.now()), []);
  useEffect(() => {
    if (since === undefined) return undefined;
    const timer = setTimeout(() => setSince(undefined), CLICK_GUARD_MS);
    return () => clearTimeout(timer);
  }, [since]);
  const before = useRef(moved);
  useLayoutEffect(() => {
    if (before.current !== moved) restart();
    before.current = moved;
  }, [moved, restart]);
  useEffect(() => {
    const shown = (): void => {
      if (document.visibilityState === 'visible') restart();
    };
    document.addEventListener('visibilitychange', shown);
    return () => document.removeEventListener('visibilitychange', shown);
  }, [restart]);
  return [since !== undefined, restart];
}
