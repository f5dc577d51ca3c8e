import { startGateway } from './bench';
import type { GatewayClient } from './client';
import { connectClient } from './client';
import { startSampleService } from './sampleService';

/**
 * An A2A client for manual use. With a URL and a token it lists the targets of a running gateway and their tools; without them it
 * starts a gateway and an MCP service and calls both.
 */
async function main([url, token]: readonly string[]): Promise<void> {
  if (url !== undefined && token !== undefined) {
    await showTargets(await connectClient(url, token));
    return;
  }
  const service = await startSampleService();
  const bench = await startGateway();
  try {
    bench.listed.push({ alias: 'sample', url: service.origin, headers: async () => ({}) });
    const client = await connectClient(bench.address.url, bench.address.token);
    await showTargets(client);
    for (const mcp_target_url of ['mcp+session://session-1/sample', service.origin]) {
      const isService = mcp_target_url === service.origin;
      const add = { name: 'add', arguments: { a: 2, b: 3 } };
      await show(client, { mcp_target_url, mcp_method: 'tools/call', mcp_params: add });
      const uri = isService ? 'sample://note' : 'ide://note';
      await show(client, { mcp_target_url, mcp_method: 'resources/read', mcp_params: { uri } });
    }
  } finally {
    await bench.stop();
    service.close();
  }
}

async function showTargets(client: GatewayClient): Promise<void> {
  const card = await client.client.getAgentCard();
  console.log(`${card.name} ${card.version}`);
  for (const example of card.skills.flatMap(({ examples }) => examples)) {
    await show(client, JSON.parse(example) as object);
  }
}

async function show(client: GatewayClient, command: object): Promise<void> {
  console.log(`\n> ${JSON.stringify(command)}`);
  const { state, answer } = await client.run(command);
  console.log(`${state}\n${JSON.stringify(answer, undefined, 2)}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
