import { asNumber, asObject, asString, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import type { Action } from '../../shared/state/sessionActions';
import type { Terminal } from '../../shared/state/terminalState';
import type { TranslateContext } from './translateContent';

/**
 * The terminal of a command that the agent runs itself, an extension of ACP. The tool call has `terminal` content with an id that this
 * client did not create, and `_meta` of its updates carries `terminal_info`, then `terminal_output_delta` (codex) or `terminal_output`
 * (claude, for clients that request it), then `terminal_exit`. Invalid data is skipped.
 * @param ended the tool call has ended, so its command has too
 */
export function agentOwnedTerminal(update: JsonObject, context: TranslateContext, ended: boolean): Action[] {
  const meta = asObject(update['_meta']);
  if (!meta) return [];
  const info = asObject(meta['terminal_info']);
  const delta = asObject(meta['terminal_output_delta']);
  const output = delta ?? asObject(meta['terminal_output']);
  const exit = asObject(meta['terminal_exit']);
  const terminalId = [info, output, exit].map((part) => asString(part?.['terminal_id'])).find((id) => id !== undefined);
  if (terminalId === undefined) return [];
  const known = context.terminals[terminalId];
  // Only agent-owned terminals: we report our own ones.
  if (known && !known.foreign) return [];
  if (!known && !info) return [];
  const isNew = !known || (info !== undefined && known.exit !== undefined);
  return [
    ...(isNew ? [created(terminalId, update, info, context.now)] : []),
    ...written(terminalId, asString(output?.['data']) ?? '', isNew || delta ? '' : known.output),
    ...(exit || ended ? exited(terminalId, exit, isNew ? undefined : known, context.now) : []),
  ];
}

function created(terminalId: string, update: JsonObject, info: JsonObject | undefined, at: number): Action {
  const input = asObject(update['rawInput']);
  const command = asString(input?.['command']) ?? asString(update['title']) ?? '';
  const cwd = asString(info?.['cwd']) ?? asString(input?.['cwd']);
  return { type: 'terminalCreated', terminalId, command, ...omitUndefined({ cwd }), foreign: true, at };
}

/** Some agents resend the complete output each time; then only the new part counts. A short repetition may be coincidence. */
function written(terminalId: string, data: string, before: string): Action[] {
  const cumulative = before.length >= 16 && data.length >= before.length && data.startsWith(before);
  const added = cumulative ? data.slice(before.length) : data;
  return added === '' ? [] : [{ type: 'terminalOutput', terminalId, data: added }];
}

function exited(terminalId: string, exit: JsonObject | undefined, known: Terminal | undefined, at: number): Action[] {
  if (known?.exit) return [];
  const code = asNumber(exit?.['exit_code']);
  const signal = asString(exit?.['signal']);
  return [{ type: 'terminalExited', terminalId, ...omitUndefined({ code, signal }), at }];
}
