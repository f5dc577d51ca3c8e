import * as vscode from 'vscode';
import { ShellCommands } from '../../src/ui/attachments/shellCommands';
import { becomes, untilEvent } from '../kit/waiting';

/** With VS Code's shell integration in a real bash. */
describe('the last commands of a terminal', () => {
  let commands: ShellCommands;
  let terminal: vscode.Terminal;

  before(async function () {
    if (process.platform === 'win32') this.skip();
    commands = new ShellCommands();
    terminal = vscode.window.createTerminal({ name: 'Shell', shellPath: '/bin/bash' });
    terminal.show();
    await untilEvent(vscode.window.onDidChangeTerminalShellIntegration, () => terminal.shellIntegration !== undefined);
  });

  after(() => {
    commands.dispose();
    terminal.dispose();
  });

  /** The text of the command for the agent, without its folder. */
  function textOf(line: string): string | undefined {
    const found = commands.list().find((one) => one.line === line);
    const attachment = found && commands.attachment(found.id);
    return attachment?.kind === 'text' ? attachment.text.replace(/, in .*\]$/, ']') : undefined;
  }

  for (const [line, output] of [
    ['echo at-$((1 + 1)); false', 'at-2\n[exit code 1]'],
    ['true', '[exit code 0]'],
    ['seq 3', '1\n2\n3\n[exit code 0]'],
    ['sleep 0.3; echo late', 'late\n[exit code 0]'],
  ] as const)
    it(`have what it printed: ${line}`, async () => {
      terminal.sendText(line);
      await becomes(async () => textOf(line), `$ ${line}\n${output}`);
    });
});
