import type { JsonObject } from '../../base/json';
import { asArray, asNumber, asString, isObject, omitUndefined, requireObject, requireString } from '../../base/json';
import { invalidParams } from '../../base/jsonRpc';

/** `terminal/create` after parsing. */
export interface CreateParams {
  readonly sessionId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** In bytes. */
  readonly outputByteLimit?: number;
}

/** Parameters of `terminal/output`, `terminal/wait_for_exit`, `terminal/kill` and `terminal/release`. */
export interface TerminalParams {
  readonly sessionId: string;
  readonly terminalId: string;
}

/** Lenient about optional fields; an argument that is not a string is an error, because it would change the command. */
export function parseCreate(params: unknown): CreateParams {
  const object = requireObject(params);
  const command = requireString(object, 'command');
  if (command.trim() === '') throw invalidParams('"command" must not be empty');
  const args = asArray(object['args']).map((arg, index) => {
    if (typeof arg !== 'string') throw invalidParams(`"args[${index}]" must be a string`);
    return arg;
  });
  if ([command, ...args].some((word) => word.includes('\0')))
    throw invalidParams('A command cannot contain NUL characters');
  const limit = asNumber(object['outputByteLimit']);
  return {
    sessionId: requireString(object, 'sessionId'),
    command,
    args,
    env: parseEnv(object),
    ...omitUndefined({
      cwd: asString(object['cwd']),
      outputByteLimit: limit === undefined ? undefined : Math.max(0, Math.floor(limit)),
    }),
  };
}

function parseEnv(object: JsonObject): Record<string, string> {
  const env: Record<string, string> = {};
  for (const item of asArray(object['env']).filter(isObject)) {
    const name = asString(item['name']);
    const value = asString(item['value']);
    if (name === undefined || value === undefined) continue;
    if (!/^[^=\0]+$/.test(name) || value.includes('\0'))
      throw invalidParams(`"env" has an impossible variable: ${name}`);
    env[name] = value;
  }
  return env;
}

export function parseTerminal(params: unknown): TerminalParams {
  const object = requireObject(params);
  return { sessionId: requireString(object, 'sessionId'), terminalId: requireString(object, 'terminalId') };
}
