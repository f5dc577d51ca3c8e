import { useCallback, useEffect, useState } from 'preact/hooks';

/** Milliseconds in which new buttons do nothing, so that a click meant for something else answers nothing. */
const GUARD = 500;

/** True for a while after the first paint, after each call of the function, and after the page comes back into view. */
export function useGuard(): readonly [boolean, () => void] {
  const [since, setSince] = useState<number | undefined>(() => performance.now());
  const restart = useCallback(() => setSince(performance.now()), []);
  useEffect(() => {
    if (since === undefined) return undefined;
    const timer = setTimeout(() => setSince(undefined), GUARD);
    return () => clearTimeout(timer);
  }, [since]);
  useEffect(() => {
    const shown = (): void => {
      if (document.visibilityState === 'visible') restart();
    };
    document.addEventListener('visibilitychange', shown);
    return () => document.removeEventListener('visibilitychange', shown);
  }, [restart]);
  return [since !== undefined, restart];
}
