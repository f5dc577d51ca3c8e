import * as vscode from 'vscode';
import type { JsonObject } from '../../../base/json';

/** Settings that select the shell of a terminal, and its variables, on each system. */
const TERMINAL = ['profiles', 'defaultProfile', 'automationProfile', 'env'].flatMap((name) =>
  ['linux', 'osx', 'windows'].map((system) => `terminal.integrated.${name}.${system}`),
);
/** Settings that select the program of a debugger. */
const DEBUGGERS = [
  'debug.javascript.defaultRuntimeExecutable',
  'debug.javascript.terminalOptions',
  'python.defaultInterpreterPath',
  'python.envFile',
  'python.terminal.activateEnvironment',
  'go.alternateTools',
  'go.toolsEnvVars',
];

/**
 * Settings of the workspace that change what a task or a debug configuration starts, for the user and for the key of an approval: a
 * repository may bring them.
 */
export function startSettings(folder: vscode.Uri | undefined, isDebug = false): readonly JsonObject[] {
  const keys = isDebug ? [...TERMINAL, ...DEBUGGERS] : TERMINAL;
  return keys.flatMap((setting) => {
    const written = vscode.workspace.getConfiguration(undefined, folder).inspect<unknown>(setting);
    const values = [written?.workspaceFolderValue, written?.workspaceValue].filter((value) => value !== undefined);
    return values.length === 0 ? [] : [{ setting, value: values[0] }];
  });
}
