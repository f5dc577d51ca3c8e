import type { PageContext } from './pageContext';

/** Tells the host that the user has begun a message in an idle chat without messages, which starts the agent. */
export function reportComposing({ store, post }: Pick<PageContext, 'store' | 'post'>): void {
  const isIdle = store.connection.peek().status === 'idle' && store.entryCount.peek() === 0;
  if (isIdle) post({ type: 'composing' });
}
