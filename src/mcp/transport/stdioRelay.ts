import { connect } from 'node:net';

/**
 * Run as a process by agents that can only start MCP servers themselves: passes stdin and stdout on to the window that declared it,
 * by a socket that only this user can open. The token goes first, on a line of its own.
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
