import { asNumber, asObject, asString, present } from '../base/json';
import type { JsonObject } from '../base/json';
import type { Action } from '../shared/actions';

/**
 * The terminal of a command that the agent runs by itself. Such a tool call has `terminal` content with an id that this
 * client never made, and what the terminal shows comes in `_meta` of the call's updates: `terminal_info`, then
 * `terminal_output_delta` (codex) or `terminal_output` (claude, for clients that ask for it), then `terminal_exit`
 * (agents.md, section 4). An extension, not ACP: what does not fit is left out.
 */
export function foreignTerminal(update: JsonObject, at: number): Action[] {
  const meta = asObject(update['_meta']);
  if (meta === undefined) return [];
  const info = asObject(meta['terminal_info']);
  const output = asObject(meta['terminal_output_delta']) ?? asObject(meta['terminal_output']);
  const exit = asObject(meta['terminal_exit']);
  return [...created(info, update, at), ...printed(output), ...exited(exit, at)];
}

function created(info: JsonObject | undefined, update: JsonObject, at: number): Action[] {
  const terminalId = asString(info?.['terminal_id']);
  if (terminalId === undefined) return [];
  const command = asString(asObject(update['rawInput'])?.['command']) ?? asString(update['title']) ?? '';
  return [{ type: 'terminalCreated', terminalId, command, ...present({ cwd: asString(info?.['cwd']) }), at }];
}

function printed(output: JsonObject | undefined): Action[] {
  const terminalId = asString(output?.['terminal_id']);
  const data = asString(output?.['data']);
  return terminalId === undefined || data === undefined ? [] : [{ type: 'terminalOutput', terminalId, data }];
}

function exited(exit: JsonObject | undefined, at: number): Action[] {
  const terminalId = asString(exit?.['terminal_id']);
  if (terminalId === undefined) return [];
  const end = present({ code: asNumber(exit?.['exit_code']), signal: asString(exit?.['signal']) });
  return [{ type: 'terminalExited', terminalId, ...end, at }];
}
