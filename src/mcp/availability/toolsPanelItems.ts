import { t } from '../../base/l10n';
import { escapeInvisible, escapeInvisibleInline } from '../../base/untrustedText';
import type { ToolItem } from '../../shared/protocol/toolsPanelState';
import type { ToolRules } from './toolFilter';
import { toolId, unavailableText, toolUnavailable } from './toolFilter';
import type { HeldBackTool } from '../toolServerTypes';
import type { RegisteredServer } from '../toolServerRegistry';

/** The tools of a server for the panel; tools that wait for a decision come first. */
export function shownTools({ name, server }: RegisteredServer, rules: ToolRules): readonly ToolItem[] {
  const held = server.held?.list() ?? [];
  const isHeld = new Set(held.map((one) => one.name));
  const tools = server.preview?.tools.filter((tool) => !isHeld.has(tool.name)) ?? server.tools;
  return [...held.map((one) => shownHeld(name, one, rules)), ...tools.map((tool) => shownTool(name, tool, rules))];
}

function shownTool(server: string, tool: Pick<ToolItem, 'name' | 'title' | 'description'>, rules: ToolRules): ToolItem {
  const { name, title, description } = tool;
  const withheld = toolUnavailable(server, name, rules);
  const isSwitched = withheld === undefined || withheld.why === 'toolOff';
  return {
    id: toolId(server, name),
    name,
    title: escapeInvisibleInline(title),
    description: escapeInvisible(description),
    ...(withheld && { withheld: unavailableText(withheld) }),
    ...(isSwitched && { isOn: withheld === undefined }),
  };
}

/** A held-back tool as a panel item; its text contains both definitions. */
function shownHeld(server: string, held: HeldBackTool, rules: ToolRules): ToolItem {
  const { name, label, isRefused, before, after, hash } = held;
  const why = reasonOf(held);
  const changed = { before, after, hash, isKeptOut: isRefused };
  if (label !== undefined) {
    const shown = escapeInvisibleInline(label);
    return { id: shown, name, title: shown, description: '', isNoTool: true, withheld: why, changed };
  }
  const { isOn: _isOn, ...shown } = shownTool(server, { name, title: name, description: '' }, rules);
  return { ...shown, withheld: shown.withheld ?? why, changed };
}

function reasonOf({ before, isRefused }: HeldBackTool): string {
  if (before === '') return isRefused ? t('blocked by you (new)') : t('new since you last reviewed the server');
  return isRefused ? t('blocked by you (changed)') : t('changed since you accepted it');
}
