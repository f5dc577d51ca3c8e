import * as vscode from 'vscode';
import type { JsonObject } from '../../../base/json';
import { asArray, asObject, asString, isObject } from '../../../base/json';

/** The kind and name of each, also of one within the name of another. */
const ASKING_VARIABLE = /\$\{(input|command|config):(?=([^}]*))/g;
/** What the active editor shows. */
const EDITOR_VARIABLE = /\$\{((?:file|relativeFile)\w*|selectedText|lineNumber|columnNumber)(?::[^}]*)?\}/g;

const NO_DEFINITION = 'unknown: only the editor knows what it asks or runs';

/**
 * What the variables `${input:…}` and `${command:…}` of a task or a debug configuration ask or run, and what those of settings and of the
 * active editor are now, also those in the definitions of others.
 * VS Code resolves them when it starts.
 * @param written everything that may contain variables
 * @param section of the settings with the `inputs`
 * @param type of the debugger, which may give commands other names
 */
export function variableDefinitions(
  written: readonly unknown[],
  section: 'tasks' | 'launch',
  folder: vscode.Uri | undefined,
  type?: string,
): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  const inputs = writtenInputs(section, folder);
  const visit = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) Object.entries(value).forEach((field) => field.forEach(visit));
    if (typeof value !== 'string') return;
    for (const [variable] of value.matchAll(EDITOR_VARIABLE)) found.set(variable, { variable, editor: activeEditor() });
    for (const [, kind, name = ''] of value.matchAll(ASKING_VARIABLE)) {
      const variable = `\${${kind}:${name}}`;
      if (found.has(variable)) continue;
      if (kind === 'command') {
        found.set(variable, { variable, editorCommand: commandOfDebugger(type, name) ?? name });
        continue;
      }
      if (kind === 'config') {
        found.set(variable, {
          variable,
          value: vscode.workspace.getConfiguration(undefined, folder).get(name) ?? null,
        });
        continue;
      }
      const definitions = inputs.filter(({ id }) => id === name);
      const [only] = definitions;
      const definition = definitions.length > 1 ? definitions : (only ?? NO_DEFINITION);
      found.set(variable, { variable, definition });
      visit(definition);
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
