// An example of the API of Parley: docs/api.md explains it. It gives agents the tool `clock__now`, answers their `_example.org/greet`,
// and counts their `_example.org/seen`.
const vscode = require('vscode');

/** @typedef {import('../../docs/parley').ParleyApi} ParleyApi */

/** @param {{ subscriptions: { dispose(): void }[] }} context */
async function activate(context) {
  /** @type {ParleyApi | undefined} */
  const parley = await vscode.extensions.getExtension('parley.parley')?.activate();
  if (!parley) return undefined;
  let seen = 0;
  context.subscriptions.push(
    parley.registerToolServer({
      name: 'clock',
      title: 'Clock',
      description: 'What time it is where the person sits',
      tools: [
        {
          name: 'now',
          title: 'Now',
          description: 'The time in a time zone',
          inputSchema: {
            type: 'object',
            properties: { zone: { type: 'string', description: 'Such as Europe/Berlin; UTC when absent' } },
          },
          annotations: { readOnlyHint: true },
          approval: 'free',
          call: ({ zone = 'UTC' }) => new Date().toLocaleString('en-GB', { timeZone: String(zone) }),
        },
      ],
    }),
    parley.onRequest('_example.org/greet', (params, { agent }) => ({ text: `Hello ${agent}`, params })),
    parley.onNotification('_example.org/seen', () => (seen += 1)),
  );
  return { seen: () => seen };
}

module.exports = { activate };
