import type { ClientFeature } from '../../agent/clientFeature';

/**
 * Capabilities that agents check before sending certain updates. With `_meta.terminal_output` Claude's adapter streams the output of its
 * commands.
 */
export function sessionUpdateCapabilitiesFeature(): ClientFeature {
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
