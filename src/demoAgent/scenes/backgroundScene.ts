import { methods } from '@agentclientprotocol/sdk/unstable';
import { asObject, asString } from '../../base/json';
import { runDemoTool } from '../demoToolCall';
import type { Scene } from './scene';

/** Long enough for the user to find the command and stop it. */
const COMMAND_SECONDS = 60;

/** A command that continues after the turn. */
export const background: Scene = {
  step: 'Run a command in the background',
  needs: 'terminal',
  isActing: true,
  async play(turn) {
    const { session, client } = turn;
    const args = ['-e', COUNT];
    const start = {
      title: `Count to ${COMMAND_SECONDS}`,
      kind: 'execute',
      rawInput: { command: 'node', args },
    } as const;
    return runDemoTool(turn, start, async (tool) => {
      // Our own executable; the variable makes Electron run as Node.
      const env = [{ name: 'ELECTRON_RUN_AS_NODE', value: '1' }];
      const params = { sessionId: session.id, command: process.execPath, args, env, cwd: session.cwd };
      const created = asObject(await turn.request(methods.client.terminal.create, params));
      const terminal = { sessionId: session.id, terminalId: asString(created?.['terminalId']) ?? '' };
      // Not part of the turn: it ends with the command, with Stop, or with the connection.
      const ended = client.request(methods.client.terminal.waitForExit, terminal);
      const release = (): Promise<unknown> => client.request(methods.client.terminal.release, terminal);
      ended.then(release).catch(() => undefined);
      await tool.change({ status: 'completed', content: [{ type: 'terminal', terminalId: terminal.terminalId }] });
      await turn.streamMessage(
        `The command counts to ${COMMAND_SECONDS}, one number a second. It goes on after this turn until you stop it.`,
      );
      return 'running';
    });
  },
};

const COUNT = `let count = 0;
const timer = setInterval(() => {
  console.log(++count);
  if (count === ${COMMAND_SECONDS}) clearInterval(timer);
}, 1000);`;
