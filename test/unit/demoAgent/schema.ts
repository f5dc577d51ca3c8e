import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Validates the demo's messages against the JSON schema published with the SDK: the SDK's own parsers are lenient. */

const types: Readonly<Record<string, string>> = {
  'session/update': 'SessionNotification',
  'session/request_permission': 'RequestPermissionRequest',
  'fs/read_text_file': 'ReadTextFileRequest',
  'fs/write_text_file': 'WriteTextFileRequest',
  'terminal/create': 'CreateTerminalRequest',
  'terminal/output': 'TerminalOutputRequest',
  'terminal/wait_for_exit': 'WaitForTerminalExitRequest',
  'terminal/kill': 'KillTerminalRequest',
  'terminal/release': 'ReleaseTerminalRequest',
  'elicitation/create': 'CreateElicitationRequest',
  '$/cancel_request': 'CancelRequestNotification',
};

const results: Readonly<Record<string, string>> = {
  initialize: 'InitializeResponse',
  'session/new': 'NewSessionResponse',
  'session/prompt': 'PromptResponse',
  'session/set_mode': 'SetSessionModeResponse',
  'session/set_config_option': 'SetSessionConfigOptionResponse',
};

const parsers = new Map<string, z.ZodType>();

export function checkParams(method: string, params: unknown): void {
  check(types[method], params, method);
}

export function checkResult(method: string, result: unknown): void {
  check(results[method], result, `the result of ${method}`);
}

function check(type: string | undefined, value: unknown, what: string): void {
  assert.ok(type, `${what} is not a message that the demo may send`);
  const outcome = parserOf(type).safeParse(value);
  assert.ok(outcome.success, `${what} is not a valid ${type}: ${JSON.stringify(value)}\n${outcome.error?.message}`);
}

function parserOf(type: string): z.ZodType {
  const known = parsers.get(type);
  if (known) return known;
  const path = join(process.cwd(), 'node_modules/@agentclientprotocol/sdk/schema/v1/schema.json');
  // Zod has neither; here they only keep apart what other fields name.
  const supported = (key: string, part: unknown): unknown =>
    ['not', 'unevaluatedProperties'].includes(key) ? undefined : part;
  const { $defs } = JSON.parse(readFileSync(path, 'utf8'), supported) as { $defs: Record<string, object> };
  assert.ok($defs[type], `the schema has no type ${type}`);
  const parser = z.fromJSONSchema({ $defs, $ref: `#/$defs/${type}` } as Parameters<typeof z.fromJSONSchema>[0]);
  parsers.set(type, parser);
  return parser;
}
