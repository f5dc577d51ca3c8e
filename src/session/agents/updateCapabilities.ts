import type { ClientFeature } from '../../agent/connection/clientFeature';

/**
 * What the session and the page can do with updates that agents send only to clients which say so. `_meta.terminal_output` is
 * read by Claude's adapter: it then streams the output of the commands that it runs.
 */
export function updateCapabilitiesFeature(): ClientFeature {
  return {
    capabilities: {
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      plan: {},
      subagents: {},
      _meta: { terminal_output: true },
    },
    handlers: [],
  };
}
