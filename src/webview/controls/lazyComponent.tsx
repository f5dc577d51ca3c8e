import { useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { usePage } from '../chat/pageContext';

/**
 * A component in a chunk of its own, for what most conversations never show: the page opens before it is read. Until it is here it
 * shows nothing.
 * @param load imports it
 * @param when it is asked for: when it is first drawn; or soon, while the page opens, for what may get the focus as soon as it is drawn
 */
export function lazyComponent<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  when: 'drawn' | 'soon' = 'drawn',
): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | undefined;
  const read = async (): Promise<FunctionComponent<P>> => (loaded ??= await load());
  // Where that fails it is tried again, and told, when it is drawn.
  if (when === 'soon') void read().catch(() => undefined);
  return function Lazily(props) {
    const { report } = usePage();
    const known = useSignal(loaded);
    useEffect(() => {
      if (known.peek()) return;
      const show = async (): Promise<void> => {
        known.value = await read();
      };
      show().catch(report);
    }, []);
    const Component = known.value;
    return Component ? <Component {...props} /> : null;
  };
}
