import * as vscode from 'vscode';
import { delay, settlesWithin } from '../../../base/async';
import { errorMessage } from '../../../base/errors';
import type { JsonObject } from '../../../base/json';
import { asArray, asString, canonicalJson, isObject } from '../../../base/json';
import type { ToolContext } from '../../../session/toolServer';
import type { Tool, Zod } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import { startSettings } from '../tasks/startSettings';
import { runsOfLabel } from '../tasks/taskRuns';
import { variableDefinitions } from '../tasks/variableDefinitions';
import { dapRequest, threadsOf, noDebugSession } from './dapRequests';
import type { DebugSessionMonitor } from './debugSessionMonitor';
import { activeThread, breakpoints, describe, stateOutput } from './debugStateTool';

/** Debug Adapter Protocol request of each step. */
const STEPS = {
  continue: 'continue',
  step_over: 'next',
  step_in: 'stepIn',
  step_out: 'stepOut',
  pause: 'pause',
} as const;
const OPS = ['start', ...(Object.keys(STEPS) as (keyof typeof STEPS)[]), 'stop'] as const;
type Op = (typeof OPS)[number];

/** Milliseconds to wait for the program to stop. */
const STOP_TIMEOUT_MS = 10_000;
/** Milliseconds for a session to start, including a build. */
const START_LIMIT_MS = 120_000;

interface ControlInput {
  readonly op: Op;
  readonly config_name?: string | undefined;
  readonly thread_id?: number | undefined;
  readonly wait_ms?: number | undefined;
}

export function controlTool(watch: DebugSessionMonitor): Tool {
  return tool({
    name: 'control',
    title: 'Control the debugger',
    description:
      'Starts a debug configuration of the workspace, steps, continues, pauses or stops; then waits until the program stops and tells the state',
    annotations: { destructiveHint: true, openWorldHint: true },
    approval: 'policy',
    asksItself: true,
    timeout: START_LIMIT_MS + 2 * STOP_TIMEOUT_MS,
    input: controlInput,
    output: stateOutput,
    call: async (input, context) => {
      const { signal } = context;
      const { op } = input;
      const session = await (op === 'start' ? startOne(input, watch, context) : go(op, input, watch, context));
      if (!session) {
        const text = op === 'stop' ? 'It was stopped.' : 'It has been started and runs.';
        const state = op === 'stop' ? ('ended' as const) : ('running' as const);
        return { text, structured: { state, breakpoints: breakpoints() } };
      }
      return describe(session, watch, {}, signal);
    },
  });
}

function controlInput(z: Zod) {
  return z.object({
    op: z.enum(OPS),
    config_name: z
      .string()
      .optional()
      .describe('For start: a name in launch.json; may be left out if there is one only'),
    thread_id: z.int().optional().describe('The stopped thread when absent'),
    wait_ms: z
      .int()
      .min(0)
      .max(50_000)
      .optional()
      .describe(`Wait so long for the next stop; ${STOP_TIMEOUT_MS} when absent`),
  });
}

/** @returns the session to describe; undefined when it was stopped */
async function go(
  op: Exclude<Op, 'start'>,
  { thread_id: thread, wait_ms: wait = STOP_TIMEOUT_MS }: ControlInput,
  watch: DebugSessionMonitor,
  { approve, signal }: ToolContext,
): Promise<vscode.DebugSession | undefined> {
  const session = vscode.debug.activeDebugSession;
  if (!session) throw noDebugSession();
  await approve({ title: `Debugger: ${op.replace('_', ' ')} ${session.name}`, about: session.id });
  if (op === 'stop') {
    await vscode.debug.stopDebugging(session);
    await watch.nextStop(session, wait, signal);
    return undefined;
  }
  const threadId = thread ?? (await threadFor(session, watch));
  const before = watch.phase(session);
  // Set before the program resumes: an old stop must not count as the next one.
  watch.setPhase(session, { kind: 'running' });
  try {
    await dapRequest(session, STEPS[op], { threadId });
  } catch (error) {
    if (before?.kind === 'stopped') watch.setPhase(session, before);
    throw error;
  }
  await watch.nextStop(session, wait, signal);
  return session;
}

async function threadFor(session: vscode.DebugSession, watch: DebugSessionMonitor): Promise<number> {
  const phase = watch.phase(session);
  const threadId = (phase?.kind === 'stopped' ? phase.threadId : undefined) ?? activeThread(session);
  if (threadId !== undefined) return threadId;
  const [first] = await threadsOf(session);
  if (first) return first.id;
  throw new ToolError(`${session.name} has no threads.`, 'Wait until it runs.');
}

/** A configuration or compound of launch.json and its folder. */
interface LaunchConfiguration {
  readonly name: string;
  readonly folder: vscode.WorkspaceFolder | undefined;
  readonly list: 'configurations' | 'compounds';
  /** As written: all that it starts. */
  readonly entry: JsonObject;
  /** The list has another entry of this name. */
  readonly isRepeated: boolean;
}

async function startOne(
  { config_name: name, wait_ms: wait = STOP_TIMEOUT_MS }: ControlInput,
  watch: DebugSessionMonitor,
  { approve, signal }: ToolContext,
): Promise<vscode.DebugSession | undefined> {
  const chosen = chooseConfiguration(name);
  const runs = await runsOf(chosen);
  await approve({ title: `Debug ${chosen.name}${detailOf(chosen)}`, runs, always: true });
  if (canonicalJson(await runsOf(chooseConfiguration(name))) !== canonicalJson(runs))
    throw new ToolError(`${JSON.stringify(chosen.name)} changed while the user was asked.`, 'Call it again.');
  const over = new AbortController();
  const abort = (): void => over.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const next = watch.nextStop(undefined, START_LIMIT_MS + wait, over.signal);
    await start(chosen, over.signal);
    return (await settlesWithin(next, wait)) ? await next : vscode.debug.activeDebugSession;
  } finally {
    signal.removeEventListener('abort', abort);
    over.abort();
  }
}

/** @throws ToolError when it does not start */
async function start({ folder, name }: LaunchConfiguration, signal: AbortSignal): Promise<void> {
  const late = delay(START_LIMIT_MS, signal).then(
    () => 'late' as const,
    () => 'late' as const,
  );
  const answer = await Promise.race([vscode.debug.startDebugging(folder, name), late]).catch((error: unknown) => {
    const message = `${JSON.stringify(name)} cannot be debugged: ${errorMessage(error)}.`;
    throw new ToolError(message, 'Ask the user to look at launch.json.', { cause: error });
  });
  if (answer === true) return;
  const why = answer === 'late' ? 'did not start in time' : 'was not started by VS Code';
  throw new ToolError(`${JSON.stringify(name)} ${why}.`, 'Ask the user what the editor shows.');
}

/** @throws ToolError that lists the configurations */
function chooseConfiguration(name: string | undefined): LaunchConfiguration {
  const all = configurations();
  const found = name === undefined ? all : all.filter((one) => one.name === name);
  const [only] = found;
  if (only && isAmbiguous(only, all))
    throw new ToolError(
      `The editor may take another configuration for ${JSON.stringify(only.name)}.`,
      'Ask the user to give every configuration and compound in launch.json a name of its own.',
    );
  if (only && (found.length === 1 || name !== undefined)) return only;
  const names = all.map((one) => JSON.stringify(one.name)).join(', ');
  const none = 'The workspace has no debug configurations; ask the user for one in launch.json.';
  const message = name === undefined ? 'config_name is missing.' : `There is no configuration ${JSON.stringify(name)}.`;
  throw new ToolError(message, all.length === 0 ? none : `There is: ${names}.`);
}

/**
 * VS Code prefers a compound to a configuration of the same name, and calls the second `A` of a list `A (1)`; it looks for what these
 * start in the same way.
 */
function isAmbiguous(chosen: LaunchConfiguration, all: readonly LaunchConfiguration[]): boolean {
  const { name, folder, list, entry } = chosen;
  const isOther = (one: LaunchConfiguration): boolean =>
    one.list !== list || canonicalJson(one.entry) !== canonicalJson(entry);
  if (all.some((one) => one.folder === folder && one.name === name && isOther(one))) return true;
  const names = [name, ...startedBy(chosen, all).flatMap(startedNames)];
  const repeated = new Set(all.flatMap((one) => (one.isRepeated ? [one.name] : [])));
  return names.some((each) => / \(\d+\)$/.test(each) && repeated.has(each.slice(0, each.lastIndexOf(' ('))));
}

/** The configuration, and all that it starts by their names. */
function startedBy(chosen: LaunchConfiguration, all: readonly LaunchConfiguration[]): readonly LaunchConfiguration[] {
  const found = new Set([chosen]);
  // A set also iterates over what is added meanwhile.
  for (const each of found) {
    const names = new Set(startedNames(each));
    for (const one of all) if (names.has(one.name)) found.add(one);
  }
  return [...found];
}

/** The parts of a compound, and what a configuration starts when its server is ready. */
function startedNames({ entry }: LaunchConfiguration): readonly string[] {
  const { configurations: parts, serverReadyAction: ready } = entry;
  const names = [...asArray(parts), ready].map((one) => (isObject(one) ? one['name'] : one));
  return names.filter((name) => typeof name === 'string');
}

function detailOf({ entry }: LaunchConfiguration): string {
  const detail = asString(entry['program']) ?? asString(entry['command']) ?? asString(entry['url']);
  return detail === undefined ? '' : ` (${detail})`;
}

/** The configuration, those that it names, their variables, and the tasks that run before and after them, each as it is written. */
async function runsOf(chosen: LaunchConfiguration): Promise<readonly JsonObject[]> {
  const all = startedBy(chosen, configurations());
  const entries = all.map(({ entry }) => entry);
  const variables = all.flatMap(({ entry, folder }) =>
    variableDefinitions([entry], 'launch', folder?.uri, asString(entry['type'])),
  );
  const labels = entries.flatMap((one) => [one['preLaunchTask'], one['postDebugTask']]);
  return [
    ...entries,
    ...variables,
    ...startSettings(chosen.folder?.uri, true),
    ...(await Promise.all(labels.map(runsOfLabel))).flat(),
  ];
}

/** From launch.json and settings. Only these can be started: a model cannot write its own configuration. */
function configurations(): readonly LaunchConfiguration[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return (folders.length === 0 ? [undefined] : folders).flatMap((folder) => {
    return (['configurations', 'compounds'] as const).flatMap((list) => {
      const written = vscode.workspace.getConfiguration('launch', folder?.uri).inspect<unknown>(list);
      return [written?.workspaceFolderValue, written?.workspaceValue, written?.globalValue].flatMap((value) => {
        const entries = asArray(value).filter(isObject);
        const count = (name: string): number => entries.filter((one) => one['name'] === name).length;
        return entries.flatMap((entry) => {
          const name = asString(entry['name']);
          return name === undefined ? [] : [{ name, folder, list, entry, isRepeated: count(name) > 1 }];
        });
      });
    });
  });
}
