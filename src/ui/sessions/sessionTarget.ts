import { isObject } from '../../base/json';
import type { Session } from '../../session/session';
import type { SessionCatalog } from '../../session/sessionCatalog';

/**
 * Opens a session and shows it immediately, because restoring the agent's session may take a while. Rejects when either
 * fails.
 */
export async function openAndShow(
  catalog: SessionCatalog,
  id: string,
  show: (session: Session) => PromiseLike<unknown>,
): Promise<void> {
  let shown: PromiseLike<unknown> | undefined;
  await catalog.open(id, (session) => {
    shown = show(session);
    // Awaited below, possibly long after it failed.
    shown.then(undefined, () => undefined);
  });
  await shown;
}

/** Commands get an id; menus pass the tree node. */
export function sessionIdOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (!isObject(target) || target['type'] !== 'session' || !isObject(target['item'])) return undefined;
  const { id } = target['item'];
  return typeof id === 'string' ? id : undefined;
}
