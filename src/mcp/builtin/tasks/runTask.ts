import * as vscode from 'vscode';
import { createDeferred } from '../../../base/async';
import { errorMessage } from '../../../base/errors';
import { Emitter } from '../../../base/event';
import { DisposableStore } from '../../../base/lifecycle';
import type { Logger } from '../../../base/logger';
import { TerminalOutputFilter } from '../../../shared/terminal/terminalOutputFilter';
import { ToolError } from '../../contract/toolServerTypes';
import type { RunningJob } from '../common/backgroundRuns';
import type { TaskPlan } from './taskCommand';
import { taskCommandOf } from './taskCommand';
import type { TaskResult } from './taskProcess';
import { TaskOutputTail, TaskProcess } from './taskProcess';

/**
 * Runs a task visibly. VS Code does not expose a task's output. For a task that is a program, VS Code resolves its variables, shows its
 * terminal and matches its problems, while Parley owns the process.
 * @throws ToolError when VS Code does not start it
 */
export async function runTask(task: vscode.Task, log: Logger): Promise<RunningJob<TaskResult>> {
  const plan = taskCommandOf(task);
  return plan ? runCaptured(task, plan, log) : runAsItIs(task);
}

async function runCaptured(task: vscode.Task, plan: TaskPlan, log: Logger): Promise<RunningJob<TaskResult>> {
  const captured = new CapturedTask(plan, log);
  try {
    captured.started = await start(copyOf(task, plan, captured.execution));
  } catch (error) {
    captured.stop();
    throw error;
  }
  return captured;
}

/** A task with VS Code's terminal and a process of Parley's. */
class CapturedTask implements RunningJob<TaskResult> {
  readonly #printed = new TaskOutputTail();
  readonly #filter = new TerminalOutputFilter('\r\n');
  readonly #written = new Emitter<string>();
  readonly #closed = new Emitter<number>();
  readonly #program: TaskProcess;
  readonly done: Promise<TaskResult>;
  /** Set once VS Code has accepted the task. */
  started: vscode.TaskExecution | undefined;

  constructor(
    private readonly plan: TaskPlan,
    log: Logger,
  ) {
    this.#program = new TaskProcess(log, (text) => {
      this.#printed.add(text);
      this.#written.fire(this.#filter.filter(text));
    });
    this.done = this.#end();
  }

  /** The execution that replaces the program. */
  get execution(): vscode.CustomExecution {
    return new vscode.CustomExecution(async (resolved) => ({
      onDidWrite: this.#written.event,
      onDidClose: this.#closed.event,
      open: () => void this.#program.start(resolvedPlan(resolved, this.plan)),
      close: () => this.#program.stop(),
    }));
  }

  output(): string {
    return this.#printed.read();
  }

  stop(): void {
    this.#program.stop();
    this.started?.terminate();
  }

  async #end(): Promise<TaskResult> {
    // VS Code may end a task without opening it, such as when a variable cannot be resolved.
    const watching = vscode.tasks.onDidEndTask(({ execution }) => execution === this.started && this.#program.stop());
    const end = await this.#program.done;
    watching.dispose();
    if (end.problem !== undefined) this.#written.fire(`${end.problem}\r\n`);
    this.#closed.fire(end.exitCode ?? 1);
    for (const emitter of [this.#written, this.#closed]) emitter.dispose();
    return end;
  }
}

/** A copy of the task that runs a process of Parley's. Variables are put into the definition, where VS Code resolves them. */
function copyOf(task: vscode.Task, plan: TaskPlan, execution: vscode.CustomExecution): vscode.Task {
  const { scope = vscode.TaskScope.Workspace, name, source, problemMatchers } = task;
  const definition = { type: 'parley', label: `${source}: ${name}`, plan: JSON.parse(JSON.stringify(plan)) as unknown };
  const copy = new vscode.Task(definition, scope, name, source, execution, problemMatchers);
  copy.isBackground = task.isBackground;
  copy.presentationOptions = { ...task.presentationOptions, reveal: vscode.TaskRevealKind.Silent, focus: false };
  return copy;
}

/** The plan from VS Code, with variables resolved. */
function resolvedPlan({ plan: resolved }: vscode.TaskDefinition, plan: TaskPlan): TaskPlan {
  return { ...plan, ...(resolved as Partial<TaskPlan> | undefined) };
}

/** Only the exit code is known. */
async function runAsItIs(task: vscode.Task): Promise<RunningJob<TaskResult>> {
  const store = new DisposableStore();
  const end = createDeferred<TaskResult>();
  const ended: vscode.TaskProcessEndEvent[] = [];
  const over: vscode.TaskExecution[] = [];
  let started: vscode.TaskExecution | undefined;
  // The end event may precede the start event.
  const checkEnded = (): void => {
    const process = ended.find(({ execution }) => execution === started);
    if (process) end.resolve({ exitCode: process.exitCode });
    else if (started && over.includes(started))
      end.resolve({ exitCode: undefined, problem: 'it ended without a code' });
  };
  store.add(vscode.tasks.onDidEndTaskProcess((event) => (ended.push(event), checkEnded())));
  store.add(vscode.tasks.onDidEndTask(({ execution }) => (over.push(execution), checkEnded())));
  void end.promise.then(() => store.dispose());
  try {
    started = await start(task);
  } catch (error) {
    store.dispose();
    throw error;
  }
  checkEnded();
  return { done: end.promise, output: () => undefined, stop: () => started?.terminate() };
}

async function start(task: vscode.Task): Promise<vscode.TaskExecution> {
  try {
    return await vscode.tasks.executeTask(task);
  } catch (error) {
    const message = `VS Code did not start the task ${JSON.stringify(task.name)}: ${errorMessage(error)}.`;
    throw new ToolError(message, 'Ask the user to look at tasks.json.', { cause: error });
  }
}
