import type { AgentCard } from '@a2a-js/sdk';

const SKILL = 'execute_mcp_command';
const MEDIA_TYPE = 'application/json';

/**
 * The gateway's agent card.
 * @param targets current session targets, named in the skill's examples
 */
export function gatewayCard(url: string, targets: readonly string[]): AgentCard {
  return {
    name: 'MCP Gateway Agent',
    description: 'Passes MCP requests on to the tool servers of coding sessions in this editor.',
    version: '1.0.0',
    provider: undefined,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
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
      {
        id: SKILL,
        name: 'Execute MCP command',
        description:
          'Takes a data part {mcp_target_url, mcp_request_path?, mcp_method, mcp_params, mcp_request_id?, mcp_headers?} and answers with a data part {mcp_request_id_echo, mcp_response_id, mcp_result or mcp_error}.',
        tags: ['mcp'],
        examples: targets.map((target) => JSON.stringify({ mcp_target_url: target, mcp_method: 'tools/list' })),
        inputModes: [MEDIA_TYPE],
        outputModes: [MEDIA_TYPE],
        securityRequirements: [],
      },
    ],
    signatures: [],
  };
}
