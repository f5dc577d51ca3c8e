import { useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { usePage } from './pageContext';

/**
 * A component in a separate chunk, for content that most conversations never show. Renders nothing until it is
 * loaded.
 * @param load imports it
 * @param when loads it at the first rendering, or `soon` while the page opens: for components that get the focus, because keys pressed
 * while such a component loads would be lost
 */
export function lazyComponent<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  when: 'drawn' | 'soon' = 'drawn',
): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | undefined;
  const read = async (): Promise<FunctionComponent<P>> => (loaded ??= await load());
  // A failed load is retried, and reported, at the first rendering.
  if (when === 'soon') void read().catch(() => undefined);
  return function Lazily(props) {
    const { report } = usePage();
    const component = useSignal(loaded);
    useEffect(() => {
      if (component.peek()) return;
      const show = async (): Promise<void> => {
        component.value = await read();
      };
      show().catch(report);
    }, []);
    const Component = component.value;
    return Component ? <Component {...props} /> : null;
  };
}
