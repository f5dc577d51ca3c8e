import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { firstLine, lastChars, toWellFormed, truncate } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { Attachment } from '../../shared/state/attachments';
import { outputText } from '../../shared/terminal/screenText';

/** Commands that are kept per terminal, and of all terminals. */
const MAX_OF_TERMINAL = 5;
const MAX_COMMANDS = 20;
/** UTF-16 units of a command's output that are kept: its start, and up to twice as much of its end as `MAX_TAIL`. */
const MAX_HEAD = 20_000;
const MAX_TAIL = 40_000;
/** UTF-16 units of a command line. */
const MAX_LINE = 4_000;
/** UTF-16 units of a label. */
const MAX_LABEL = 60;
/** VS Code's tool, which tells of the last command as text for models. */
const LAST_COMMAND = 'terminal_last_command';

/** A command in a terminal of the user. */
export interface ShellCommand {
  readonly id: number;
  readonly line: string;
  /** The terminal, and how the command ended or that it runs. */
  readonly detail: string;
}

/**
 * The last commands of each terminal with shell integration, since this was created. Terminals of extensions are left out: Parley's show
 * commands of agents, which the agents know.
 */
export class ShellCommands implements Disposable {
  readonly #store = new DisposableStore();
  /** Newest first. */
  #commands: readonly RecordedCommand[] = [];
  readonly #running = new WeakMap<vscode.TerminalShellExecution, RecordedCommand>();
  #lastId = 0;

  constructor() {
    this.#store.add(vscode.window.onDidStartTerminalShellExecution((event) => this.#start(event)));
    this.#store.add(
      vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
        this.#running.get(execution)?.end(exitCode);
      }),
    );
    this.#store.add(
      vscode.window.onDidCloseTerminal((closed) => {
        this.#commands = this.#commands.filter(({ terminal }) => terminal !== closed);
      }),
    );
  }

  /** Newest first. */
  list(): readonly ShellCommand[] {
    return this.#commands;
  }

  /** Undefined when the command is forgotten. */
  attachment(id: number): Attachment | undefined {
    return this.#commands.find((command) => command.id === id)?.toAttachment();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #start({ terminal, execution }: vscode.TerminalShellExecutionStartEvent): void {
    if ('pty' in terminal.creationOptions || execution.commandLine.value.trim() === '') return;
    const command = new RecordedCommand(++this.#lastId, terminal, execution);
    this.#running.set(execution, command);
    let ofTerminal = 0;
    this.#commands = [command, ...this.#commands]
      .filter((one) => one.terminal !== terminal || ++ofTerminal <= MAX_OF_TERMINAL)
      .slice(0, MAX_COMMANDS);
    // In this tick: VS Code drops data that comes before.
    void command.record(execution.read());
  }
}

class RecordedCommand implements ShellCommand {
  /** The start of the output, then its end if that is long, both with escape sequences. Empty if VS Code gave no data. */
  #head = '';
  #tail = '';
  #isCut = false;
  #hasOutput = false;
  #end: { readonly code: number | undefined } | undefined;

  readonly line: string;
  readonly #folder: string | undefined;

  constructor(
    readonly id: number,
    readonly terminal: vscode.Terminal,
    { commandLine, cwd }: vscode.TerminalShellExecution,
  ) {
    this.line = toWellFormed(truncate(commandLine.value.trim(), MAX_LINE));
    this.#folder = cwd?.fsPath;
  }

  get detail(): string {
    const name = escapeInvisibleInline(this.terminal.name);
    if (!this.#end) return `${name} · ${t('Running')}`;
    return this.#end.code === undefined ? name : `${name} · ${t('Exit code {0}', this.#end.code)}`;
  }

  async record(data: AsyncIterable<string>): Promise<void> {
    for await (const chunk of data) this.#append(chunk);
    this.#end ??= { code: undefined };
    // In remote windows no data comes of a command that ends within a few milliseconds: its start, output and end arrive in one tick.
    if (this.#hasOutput || vscode.window.activeTerminal !== this.terminal) return;
    const output = await lastOutput(this.line);
    if (output !== undefined) this.#append(output);
  }

  end(code: number | undefined): void {
    this.#end = { code };
  }

  toAttachment(): Attachment {
    const status = this.#end ? `exit code ${this.#end.code ?? 'unknown'}` : 'still running';
    const place = this.#folder === undefined ? '' : `, in ${this.#folder}`;
    const text = toWellFormed([`$ ${this.line}`, ...this.#output(), `[${status}${place}]`].join('\n'));
    return { kind: 'text', label: truncate(escapeInvisibleInline(firstLine(this.line)), MAX_LABEL), text };
  }

  #output(): readonly string[] {
    if (!this.#hasOutput && this.#end) return ['[no output was recorded]'];
    if (!this.#isCut) return shownText(this.#head + this.#tail);
    return [...shownText(this.#head), '[output is missing here]', ...shownText(this.#tail)];
  }

  #append(chunk: string): void {
    this.#hasOutput = true;
    const free = MAX_HEAD - this.#head.length;
    this.#head += chunk.slice(0, free);
    this.#tail += chunk.slice(free);
    if (this.#tail.length <= 2 * MAX_TAIL) return;
    this.#isCut = true;
    // Never begins within an escape sequence.
    const end = lastChars(this.#tail, MAX_TAIL);
    this.#tail = end.slice(end.indexOf('\n') + 1);
  }
}

function shownText(output: string): readonly string[] {
  const text = outputText(output).trimEnd();
  return text === '' ? [] : [text];
}

/**
 * What VS Code's own tool tells of the last command in the active terminal.
 * @returns undefined if that is another command, or without the tool
 */
async function lastOutput(line: string): Promise<string | undefined> {
  try {
    const { content } = await vscode.lm.invokeTool(LAST_COMMAND, { input: {}, toolInvocationToken: undefined });
    const text = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
    if (!text.startsWith(`The following is the last command run in the terminal:\n${line}\n`)) return undefined;
    return text.split('\nIt has the following output:\n').slice(1).join('\n');
  } catch {
    return undefined;
  }
}
