// Protected by test/unit/mcp/userServers/changedTools.test.ts: a changed tool is held back.
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { HeldBackTool, HeldBackTools } from '../contract/toolServerTypes';

interface ServerWithHeldBackTools {
  readonly name: string;
  readonly heldBack: HeldBackTools;
}

/** Notifies once of each new or changed tool; refused ones are not repeated. */
export class ChangedToolsNotification {
  readonly #notified = new Set<string>();

  /** @param show shows a notification with a button for the Tools panel */
  constructor(private readonly show: (sentence: string) => void) {}

  refresh(servers: Iterable<ServerWithHeldBackTools>): void {
    for (const { name, heldBack } of servers) {
      const fresh = heldBack.list().filter((tool) => {
        const key = JSON.stringify([name, tool.name, tool.hash]);
        return !tool.isRefused && !this.#notified.has(key) && this.#notified.add(key);
      });
      if (fresh.length > 0) this.show(sentenceOf(name, fresh));
    }
  }
}

function sentenceOf(server: string, changed: readonly HeldBackTool[]): string {
  const [first] = changed;
  if (changed.some(({ before }) => before === '')) return sentenceOfNew(escapeInvisibleInline(server), changed);
  const areTools = changed.every(({ label }) => label === undefined);
  if (changed.length === 1 && first)
    return first.label === undefined
      ? t(
          'The tool “{0}” of the MCP server “{1}” has changed. Agents cannot use it until you review the change.',
          escapeInvisibleInline(first.name),
          escapeInvisibleInline(server),
        )
      : t(
          'Changed: {0} of the MCP server “{1}”. Not available to agents until you review the change.',
          escapeInvisibleInline(first.label),
          escapeInvisibleInline(server),
        );
  return areTools
    ? t(
        '{0} tools of the MCP server “{1}” have changed. Agents cannot use them until you review the changes.',
        changed.length,
        escapeInvisibleInline(server),
      )
    : t(
        '{0} tools, prompts and other definitions of the MCP server “{1}” have changed. Agents cannot use them until you review the changes.',
        changed.length,
        escapeInvisibleInline(server),
      );
}

/**
 * @param server display name
 * @param changed some of them are new
 */
function sentenceOfNew(server: string, changed: readonly HeldBackTool[]): string {
  const [first] = changed;
  if (changed.length === 1 && first?.label === undefined)
    return t(
      'The tool “{0}” of the MCP server “{1}” is new. Agents cannot use it until you review it.',
      escapeInvisibleInline(first?.name ?? ''),
      server,
    );
  return t(
    'The MCP server “{0}” has {1} new or changed tools, prompts and other definitions. Agents cannot use them until you review them.',
    server,
    changed.length,
  );
}
