import { errorMessage } from '../../base/errors';
import { Lazy } from '../../base/lazy';
import type { Logger } from '../../base/logger';
import type { BuiltInServers } from './builtInServers';

/** Reserved for built-in servers, also before they are loaded. */
export const BUILT_IN_NAMES: ReadonlySet<string> = new Set([
  'problems',
  'code',
  'refactor',
  'editor',
  'tests',
  'user',
  'tasks',
  'debugger',
  'notebook',
  'ide',
]);

/** Undefined when the servers cannot be loaded. */
export type LazyBuiltIns = Lazy<BuiltInServers | undefined>;

/**
 * Servers in a chunk that is loaded when a session or the user first needs them. Loading never rejects: a failure is
 * logged and must not keep a session from opening.
 * @param load Loads the code of the servers and registers them.
 */
export function lazyServers<T>(load: () => Promise<T>, log: Logger): Lazy<T | undefined> {
  return new Lazy(async () => {
    try {
      return await load();
    } catch (error) {
      log.error('mcp', `Failed to load tool servers: ${errorMessage(error)}`);
      return undefined;
    }
  });
}
