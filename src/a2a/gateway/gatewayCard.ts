import type { AgentCard, AgentSkill } from '@a2a-js/sdk';
import type { JsonObject } from '../../base/json';

/** A skill of the card: the gateway's own, or a tool of a configured target. */
export interface ToolSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Data parts that a client can send. */
  readonly examples: string[];
}

const LEGACY_VERSION = '0.3';
const SKILL = 'execute_mcp_command';
const MEDIA_TYPE = 'application/json';

/**
 * The gateway's agent card.
 * @param targets current targets, named in the skill's examples
 * @param skills tools of configured targets
 */
export function gatewayCard(url: string, targets: readonly string[], skills: readonly ToolSkill[]): AgentCard {
  return {
    name: 'MCP Gateway Agent',
    description: 'Passes MCP requests on to the tool servers of coding sessions in this editor.',
    version: '1.0.0',
    provider: undefined,
    supportedInterfaces: ['1.0', LEGACY_VERSION].map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
      tenant: '',
    })),
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { description: 'The token that “Copy Token” gives', scheme: 'Bearer', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: [MEDIA_TYPE],
    defaultOutputModes: [MEDIA_TYPE],
    skills: [
      toSkill({
        id: SKILL,
        name: 'Execute MCP command',
        description:
          'Takes a data part {mcp_target_url, mcp_request_path?, mcp_method, mcp_params, mcp_request_id?, mcp_headers?} and answers with a data part {mcp_request_id_echo, mcp_response_id, mcp_result or mcp_error}.',
        examples: targets.map((target) => JSON.stringify({ mcp_target_url: target, mcp_method: 'tools/list' })),
      }),
      ...skills.map(toSkill),
    ],
    signatures: [],
  };
}

function toSkill(skill: ToolSkill): AgentSkill {
  const modes = { inputModes: [MEDIA_TYPE], outputModes: [MEDIA_TYPE] };
  return { ...skill, ...modes, tags: ['mcp'], securityRequirements: [] };
}

/** The card with the fields of A2A before 1.0, which newer clients ignore (https://a2a-protocol.org/v0.3.0/specification/). */
export function asLegacyCard(card: JsonObject, url: string): JsonObject {
  const { securityRequirements: _, ...shared } = card;
  return {
    ...shared,
    url,
    protocolVersion: `${LEGACY_VERSION}.0`,
    preferredTransport: 'JSONRPC',
    securitySchemes: { bearer: { type: 'http', scheme: 'Bearer' } },
    security: [{ bearer: [] }],
  };
}
