import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Milliseconds in which new buttons do nothing, so that a click meant for something else answers nothing. */
const GUARD = 500;

/**
 * True for a while after the first paint, after each call of the function, and after the page comes back into view.
 * @param moved when it changes, the buttons may have come to stand where something else was
 */
export function useClickGuard(moved?: unknown): readonly [boolean, () => void] {
  const [since, setSince] = useState<number | undefined>(() => performance.now());
  const restart = useCallback(() => setSince(performance.now()), []);
  useEffect(() => {
    if (since === undefined) return undefined;
    const timer = setTimeout(() => setSince(undefined), GUARD);
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
