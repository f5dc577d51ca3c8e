import { connect } from 'node:net';

/**
 * Entry point of the relay, a process for agents that only start stdio MCP servers: pipes stdin and stdout to the window that declared it,
 * over a socket that only this user can open. The token is the first line.
 */
const socket = connect(process.env['PARLEY_SOCKET'] ?? '');
socket.on('connect', () => {
  socket.write(`${process.env['PARLEY_TOKEN'] ?? ''}\n`);
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
});
socket.on('error', (error) => {
  process.stderr.write(`The window that offered this MCP server cannot be reached: ${error.message}\n`);
  process.exitCode = 1;
});
socket.on('close', () => process.exit());
