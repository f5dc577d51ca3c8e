import * as vscode from 'vscode';
import type { JsonObject } from '../../../base/json';
import { asArray, asObject, asString, isObject } from '../../../base/json';
import { ToolError } from '../../contract/toolServerTypes';

/** UTF-16 units of a name; a longer one is cut, and its definition unknown. */
const MAX_NAME = 200;
/** Maximum number of variables, all of which a request shows. */
const MAX_VARIABLES = 100;
/** The kind and name of each, also of one within the name of another. */
const ASKING_VARIABLE = /\$\{(input|command|config):(?=([^}]{0,200}))/g;
/** What the active editor shows. */
const EDITOR_VARIABLE =
  /\$\{((?:file|relativeFile)\w{0,40}|selectedText|lineNumber|columnNumber)(?:\}|:[^}]{0,200}\}?)/g;

const NO_DEFINITION = 'unknown: only the editor knows what it asks or runs';

/**
 * What the variables `${input:…}` and `${command:…}` of a task or a debug configuration ask or run, and what those of settings and of the
 * active editor are now, also those in the definitions of others.
 * VS Code resolves them when it starts.
 * @param written everything that may contain variables
 * @param section of the settings with the `inputs`
 * @param type of the debugger, which may give commands other names
 * @throws ToolError if there are too many
 */
export function variableDefinitions(
  written: readonly unknown[],
  section: 'tasks' | 'launch',
  folder: vscode.Uri | undefined,
  type?: string,
): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  const inputs = writtenInputs(section, folder);
  const add = (variable: string, meaning: JsonObject): void => {
    found.set(variable, { variable, ...meaning });
    if (found.size <= MAX_VARIABLES) return;
    throw new ToolError(`It uses more than ${MAX_VARIABLES} variables.`, 'Ask the user to start it.');
  };
  const visit = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) Object.entries(value).forEach((field) => field.forEach(visit));
    if (typeof value !== 'string') return;
    for (const [variable] of value.matchAll(EDITOR_VARIABLE)) add(variable, { editor: activeEditor() });
    for (const [, kind, name = ''] of value.matchAll(ASKING_VARIABLE)) {
      const variable = `\${${kind}:${name}}`;
      if (found.has(variable)) continue;
      if (name.length === MAX_NAME) add(variable, { definition: NO_DEFINITION });
      else if (kind === 'command') add(variable, { editorCommand: commandOfDebugger(type, name) ?? name });
      else if (kind === 'config')
        add(variable, { value: vscode.workspace.getConfiguration(undefined, folder).get(name) ?? null });
      else {
        const definitions = inputs.filter(({ id }) => id === name);
        const [only] = definitions;
        const definition = definitions.length > 1 ? definitions : (only ?? NO_DEFINITION);
        add(variable, { definition });
        visit(definition);
      }
    }
  };
  written.forEach(visit);
  return [...found.values()];
}

/** Of all settings: which one VS Code takes depends on where the task stands. */
function writtenInputs(section: string, folder: vscode.Uri | undefined): readonly JsonObject[] {
  const written = vscode.workspace.getConfiguration(section, folder).inspect<unknown>('inputs');
  return [written?.workspaceFolderValue, written?.workspaceValue, written?.globalValue].flat().filter(isObject);
}

/** The file, position and selected text that variables get. */
function activeEditor(): JsonObject {
  const { document, selection } = vscode.window.activeTextEditor ?? {};
  if (!document || !selection) return {};
  const { line, character } = selection.active;
  return { file: document.uri.fsPath, line: line + 1, column: character + 1, selected: document.getText(selection) };
}

/** The command that the extension of a debugger runs for its own name, such as `PickProcess`. */
function commandOfDebugger(type: string | undefined, name: string): string | undefined {
  if (type === undefined) return undefined;
  const contributed = vscode.extensions.all.map(({ packageJSON }) => asObject(asObject(packageJSON)?.['contributes']));
  const debuggers = contributed.flatMap((contributes) => asArray(contributes?.['debuggers'])).filter(isObject);
  const same = debuggers.filter((each) => each['type'] === type);
  return same.map((each) => asString(asObject(each['variables'])?.[name])).find((command) => command !== undefined);
}
