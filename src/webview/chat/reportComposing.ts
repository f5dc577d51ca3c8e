import type { PageContext } from './pageContext';

/** Milliseconds between two reports. */
const TYPING_INTERVAL_MS = 500;

/** Tells the host that the user has begun a message in an idle chat, which starts the agent. */
export function reportComposing({ store, post }: PageContext): void {
  if (store.connection.peek().status === 'idle') post({ type: 'composing' });
}

/** Reports typing during a turn: until it pauses, the host opens no editor, which would stall the keys. */
export function createTypingReport({ store, post }: PageContext): () => void {
  let reportedAt = -Infinity;
  return () => {
    const now = performance.now();
    if (store.turn.peek().status !== 'running' || now - reportedAt < TYPING_INTERVAL_MS) return;
    reportedAt = now;
    post({ type: 'typing' });
  };
}
