import type { PageContext } from './pageContext';

/** Tells the host that the user has begun a message in an idle chat, which starts the agent. */
export function reportComposing({ store, post }: PageContext): void {
  if (store.connection.peek().status === 'idle') post({ type: 'composing' });
}
