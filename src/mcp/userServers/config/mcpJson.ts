import type { ParseError } from 'jsonc-parser';
import { parse, printParseErrorCode } from 'jsonc-parser';
import type { JsonObject } from '../../../base/json';
import { isObject } from '../../../base/json';
import { t } from '../../../base/l10n';
import { describeValue } from '../../../base/schema';

export interface McpJson {
  readonly servers: JsonObject;
  /** Not validated yet. */
  readonly inputs: unknown;
}

/** The field with the servers: VS Code's, and that of most other programs. */
export type ServersField = 'servers' | 'mcpServers';

/**
 * Parses a file of servers, with comments and trailing commas as VS Code allows. A file without servers is empty.
 * @param field of the file; other programs also read `servers` where it is `mcpServers`
 */
export function parseMcpJson(text: string, field: ServersField = 'servers'): McpJson | { readonly problem: string } {
  if (text.trim() === '') return { servers: {}, inputs: undefined };
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) return { problem: `${printParseErrorCode(error.error)} in ${positionText(text, error.offset)}` };
  if (!isObject(value)) return { problem: t('expected an object with "{0}", got {1}', field, describeValue(value)) };
  const { inputs, mcpServers } = value;
  const servers = value['servers'] ?? (field === 'mcpServers' ? mcpServers : undefined) ?? {};
  if (field === 'servers' && value['servers'] === undefined && mcpServers !== undefined)
    return { problem: t('expected "servers" instead of "mcpServers"; VS Code reads only "servers" in this file') };
  if (!isObject(servers))
    return { problem: t('expected "{0}" to be an object, got {1}', field, describeValue(servers)) };
  return { servers, inputs };
}

function positionText(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return t('line {0}, column {1}', before.length, (before.at(-1)?.length ?? 0) + 1);
}
