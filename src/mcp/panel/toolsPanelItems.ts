import { t } from '../../base/l10n';
import { escapeInvisible, escapeInvisibleInline } from '../../base/untrustedText';
import type { ToolItem } from '../../shared/protocol/toolsPanelState';
import type { ToolRules } from '../availability/toolFilter';
import { toolId, unavailableText, toolUnavailable } from '../availability/toolFilter';
import type { HeldBackTool } from '../contract/toolServerTypes';
import type { RegisteredServer } from '../contract/toolServerRegistry';

/** The tools of a server for the panel; tools that wait for a decision come first. */
export function toolItems({ name, server }: RegisteredServer, rules: ToolRules): readonly ToolItem[] {
  const heldBack = server.heldBack?.list() ?? [];
  const heldBackNames = new Set(heldBack.map((one) => one.name));
  const tools = server.preview?.tools.filter((tool) => !heldBackNames.has(tool.name)) ?? server.tools;
  return [
    ...heldBack.map((one) => toHeldBackItem(name, one, rules)),
    ...tools.map((tool) => toToolItem(name, tool, rules)),
  ];
}

function toToolItem(
  server: string,
  tool: Pick<ToolItem, 'name' | 'title' | 'description'>,
  rules: ToolRules,
): ToolItem {
  const { name, title, description } = tool;
  const unavailable = toolUnavailable(server, name, rules);
  const isSwitched = unavailable === undefined || unavailable.why === 'toolOff';
  return {
    id: toolId(server, name),
    name,
    title: escapeInvisibleInline(title),
    description: escapeInvisible(description),
    ...(unavailable && { unavailableReason: unavailableText(unavailable) }),
    ...(isSwitched && { isOn: unavailable === undefined }),
  };
}

/** A held-back tool as a panel item; its text contains both definitions. */
function toHeldBackItem(server: string, heldBack: HeldBackTool, rules: ToolRules): ToolItem {
  const { name, label, isRefused, before, after, hash } = heldBack;
  const why = reasonOf(heldBack);
  const changed = { before, after, hash, isBlocked: isRefused };
  if (label !== undefined) {
    const item = escapeInvisibleInline(label);
    return { id: item, name, title: item, description: '', isNoTool: true, unavailableReason: why, changed };
  }
  const { isOn: _isOn, ...item } = toToolItem(server, { name, title: name, description: '' }, rules);
  return { ...item, unavailableReason: item.unavailableReason ?? why, changed };
}

function reasonOf({ before, isRefused }: HeldBackTool): string {
  if (before === '') return isRefused ? t('blocked by you (new)') : t('new since you last reviewed the server');
  return isRefused ? t('blocked by you (changed)') : t('changed since you accepted it');
}
