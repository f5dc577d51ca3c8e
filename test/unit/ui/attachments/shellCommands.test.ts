// Imported first: later imports get this stub of `vscode`.
import { stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { Emitter } from '../../../../src/base/event';
import { ShellCommands } from '../../../../src/ui/attachments/shellCommands';
import { attachmentSource } from '../../../../src/ui/messages/attachmentSchema';
import { stubOf } from '../../../kit/stubOf';
import { settled } from '../../../kit/waiting';

describe('the last commands of terminals', () => {
  const { window, lm } = stub;
  let started: Emitter<vscode.TerminalShellExecutionStartEvent>;
  let ended: Emitter<vscode.TerminalShellExecutionEndEvent>;
  let closed: Emitter<vscode.Terminal>;
  let commands: ShellCommands;
  /** What VS Code's tool tells. */
  let told: string | undefined;

  beforeEach(() => {
    started = new Emitter();
    ended = new Emitter();
    closed = new Emitter();
    told = undefined;
    const events = {
      onDidStartTerminalShellExecution: started.event,
      onDidEndTerminalShellExecution: ended.event,
      onDidCloseTerminal: closed.event,
    };
    const invokeTool = async (name: string): Promise<object> => {
      if (told === undefined || name !== 'terminal_last_command') throw new Error(`no tool ${name}`);
      return { content: [new stub.LanguageModelTextPart(told)] };
    };
    Object.assign(stub, { window: { ...window, ...events }, lm: { invokeTool } });
    commands = new ShellCommands();
  });

  afterEach(() => {
    commands.dispose();
    Object.assign(stub, { window, lm });
  });

  function open(name: string, creationOptions: object = {}): vscode.Terminal {
    const activeTerminal = stubOf<vscode.Terminal>({ name, creationOptions });
    Object.assign(stub.window, { activeTerminal });
    return activeTerminal;
  }

  /** Starts a command that writes this; the caller ends it. Undefined: VS Code drops all of it, as of a command that ends at once. */
  async function start(terminal: vscode.Terminal, line: string, ...output: readonly (string | undefined)[]) {
    async function* read(): AsyncGenerator<string> {
      for (const chunk of output) {
        if (chunk === undefined) return;
        yield chunk;
      }
      await new Promise(() => undefined);
    }
    const execution = stubOf<vscode.TerminalShellExecution>({
      commandLine: stubOf<vscode.TerminalShellExecutionCommandLine>({ value: line }),
      cwd: stubOf<vscode.Uri>({ fsPath: '/w' }),
      read,
    });
    started.fire(stubOf<vscode.TerminalShellExecutionStartEvent>({ terminal, execution }));
    await settled();
    return execution;
  }

  const end = (execution: vscode.TerminalShellExecution, exitCode: number | undefined): void =>
    ended.fire(stubOf<vscode.TerminalShellExecutionEndEvent>({ execution, exitCode }));
  const shown = (): string[] => commands.list().map(({ line, detail }) => `${line} | ${detail}`);
  const textOf = (id: number | undefined): string => {
    const attachment = commands.attachment(id ?? -1);
    assert.ok(attachment?.kind === 'text');
    return attachment.text;
  };

  it('have their output as the terminal shows it, and their exit code', async () => {
    const shell = open('bash');
    const failed = await start(
      shell,
      'npm test',
      '\u001B]633;C\u0007\u001B[31m0 %\r100',
      ' %\u001B[0m\r\nfa',
      'iled\r\n',
    );
    assert.deepEqual(shown(), ['npm test | bash · Running']);
    assert.match(textOf(1), /\n\[still running, in \/w\]$/);
    end(failed, 1);
    end(await start(open('zsh'), 'ls'), undefined);
    assert.deepEqual(shown(), ['ls | zsh', 'npm test | bash · Exit code 1']);
    assert.equal(textOf(1), '$ npm test\n100 %\nfailed\n[exit code 1, in /w]');
    assert.equal(commands.attachment(1)?.label, 'npm test');
  });

  it('have the output of the last command from VS Code where it gives no data', async () => {
    const shell = open('bash');
    const header = 'The following is the last command run in the terminal:\nls\nIt was run in the directory:\n/w\n';
    told = `${header}It exited with code: 0\nIt has the following output:\na.ts\nb.ts\n`;
    end(await start(shell, 'ls', undefined), 0);
    assert.equal(textOf(1), '$ ls\na.ts\nb.ts\n[exit code 0, in /w]');
    told = `${header}It exited with code: 0`;
    end(await start(shell, 'ls', undefined), 0);
    assert.equal(textOf(2), '$ ls\n[exit code 0, in /w]');
    // Of another command, of another terminal, and without the tool.
    end(await start(shell, 'pwd', undefined), 0);
    assert.equal(textOf(3), '$ pwd\n[no output was recorded]\n[exit code 0, in /w]');
    open('zsh');
    end(await start(shell, 'ls', undefined), 0);
    assert.match(textOf(4), /no output was recorded/);
    told = undefined;
    end(await start(open('fish'), 'ls', undefined), 0);
    assert.match(textOf(5), /no output was recorded/);
  });

  it('are few, and of long output start and end are kept', async () => {
    const shell = open('bash');
    for (let at = 0; at < 8; at++) end(await start(shell, `echo ${at}`), 0);
    assert.deepEqual(
      commands.list().map(({ line }) => line),
      ['echo 7', 'echo 6', 'echo 5', 'echo 4', 'echo 3'],
    );
    assert.equal(commands.attachment(1), undefined);
    for (let at = 0; at < 30; at++) await start(open(`bash ${at}`), 'cat');
    assert.equal(commands.list().length, 20);
    const line = `\u001B[32m${'x'.repeat(97)}\u001B[0m\r\n`;
    await start(
      shell,
      `cat ${'long '.repeat(5_000)}`,
      'first\r\n',
      ...Array.from({ length: 5_000 }, () => line),
      'last',
    );
    const [{ id } = { id: 0 }] = commands.list();
    const text = textOf(id);
    assert.ok(text.length < 100_000, String(text.length));
    const lines = text.split('\n');
    assert.deepEqual([lines[1], lines.at(-2)], ['first', 'last']);
    const missing = lines.indexOf('[output is missing here]');
    assert.ok(missing > 100, String(missing));
    assert.deepEqual(new Set(lines.slice(missing + 1, -2)), new Set(['x'.repeat(97)]));
    assert.equal(commands.attachment(id)?.label.length, 60);
  });

  it('are not those of closed terminals, of extensions, or without a command line', async () => {
    await start(open('Agent', { pty: {} }), 'agent command');
    await start(open('bash'), ' ');
    const shell = open('sh');
    end(await start(shell, 'closed'), 0);
    closed.fire(shell);
    assert.deepEqual(shown(), []);
    assert.equal(commands.attachment(1), undefined);
  });

  it('are named by the page with a number', () => {
    assert.equal(attachmentSource('command 12', ''), 'command 12');
    for (const odd of ['command x', 'command 1 2', 'command', 'command -1'])
      assert.throws(() => attachmentSource(odd, ''));
  });
});
