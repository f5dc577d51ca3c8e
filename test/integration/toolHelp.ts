import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/base/json';
import type { BuiltInServer } from '../../src/mcp/builtin/builtInServers';
import { z } from '../../src/mcp/contract/mcpServerSdk';
import type { SchemaSource, Tool } from '../../src/mcp/contract/toolServerTypes';
import { ToolError } from '../../src/mcp/contract/toolServerTypes';
import type { SessionHandle } from '../../src/session/sessionHandle';
import type { ApprovalRequest, ToolResult } from '../../src/session/toolServer';

interface Parser {
  parse(value: unknown): unknown;
}

/** The part of a zod schema that is used here. */
export function zodOf(source: SchemaSource): Parser {
  assert.equal(typeof source, 'function');
  return (source as (zod: typeof z) => Parser)(z);
}

/** Calls tools as the tool call gate does, and records the permission requests. */
export class ToolCaller {
  readonly #servers: () => readonly BuiltInServer[];
  readonly #session: SessionHandle;
  approvals: ApprovalRequest[] = [];
  isApproved = true;

  constructor(servers: () => readonly BuiltInServer[], session: SessionHandle) {
    this.#servers = servers;
    this.#session = session;
  }

  tool(server: string, name: string): Tool {
    const found = this.#servers().find((one) => one.server.name === server);
    const tool = found?.server.tools.find((one) => one.name === name);
    assert.ok(tool, `${server}__${name}`);
    return tool;
  }

  /** The result as data; input and output are validated by the tool's schemas. */
  async call(server: string, name: string, input: JsonObject = {}, signal?: AbortSignal): Promise<JsonObject> {
    const tool = this.tool(server, name);
    const result = await this.raw(server, name, zodOf(tool.input).parse(input), signal);
    assert.ok(result.text.length > 0);
    return zodOf(tool.output!).parse(result.structured) as JsonObject;
  }

  raw(server: string, name: string, input: unknown, signal = new AbortController().signal): Promise<ToolResult> {
    return this.tool(server, name).call(input, {
      session: this.#session,
      signal,
      progress: () => undefined,
      waitForUser: (answer) => answer,
      approve: async (asked) => {
        this.approvals.push(asked);
        if (!this.isApproved) throw new ToolError('It was not allowed.');
      },
    });
  }
}
