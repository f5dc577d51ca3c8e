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

/** Parses an `mcp.json`, with comments and trailing commas as VS Code allows. A file without servers is empty. */
export function parseMcpJson(text: string): McpJson | { readonly problem: string } {
  if (text.trim() === '') return { servers: {}, inputs: undefined };
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) return { problem: `${printParseErrorCode(error.error)} in ${positionText(text, error.offset)}` };
  if (!isObject(value)) return { problem: t('expected an object with "servers", got {0}', describeValue(value)) };
  const { servers = {}, inputs, mcpServers } = value;
  if (value['servers'] === undefined && mcpServers !== undefined)
    return { problem: t('expected "servers" instead of "mcpServers"; VS Code reads only "servers" in this file') };
  if (!isObject(servers)) return { problem: t('expected "servers" to be an object, got {0}', describeValue(servers)) };
  return { servers, inputs };
}

function positionText(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return t('line {0}, column {1}', before.length, (before.at(-1)?.length ?? 0) + 1);
}
