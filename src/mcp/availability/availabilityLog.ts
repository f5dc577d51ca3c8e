import type { Logger } from '../../base/logger';
import { firstLine } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { ToolServerItem, ToolsPanelState } from '../../shared/protocol/toolsPanelState';

/** Logs which tools an agent gets when a chat opens, and why each other tool is missing. Repeated identical lines are not logged. */
export class AvailabilityLog {
  #last = '';

  constructor(private readonly log: Logger) {}

  write({ agent = '', servers }: ToolsPanelState): void {
    const lines = servers.map(serverLogLine);
    const all = [agent, ...lines].join('\n');
    if (all === this.#last) return;
    this.#last = all;
    for (const line of lines) this.log.info('mcp', `${agent}: ${line}`);
  }
}

function serverLogLine({ name, unavailableReason: unavailable, state, tools }: ToolServerItem): string {
  const server = escapeInvisibleInline(name);
  if (unavailable !== undefined) return `${server} is not offered: ${firstLine(unavailable)}`;
  const available = tools.filter((tool) => tool.unavailableReason === undefined).length;
  const reasons = tools.flatMap((tool) =>
    tool.unavailableReason === undefined ? [] : `${tool.name} (${tool.unavailableReason})`,
  );
  const rest = reasons.length === 0 ? '' : `; not offered: ${escapeInvisibleInline(reasons.join(', '))}`;
  const where = state === undefined ? '' : `, ${firstLine(state)}`;
  return `${server} is offered${where}, ${available} of ${tools.length} tools${rest}`;
}
