/**
 * The client side of the ACP SDK as a separate chunk (`dist/lib/acp.js`), loaded with the first connection. Only libraries belong here:
 * Parley's code in two chunks would be duplicated.
 */
export { client } from '@agentclientprotocol/sdk/unstable';
