import * as vscode from 'vscode';
import { t } from '../../../base/l10n';
import { codeInfo, extensionOf } from '../../../shared/text/codeFenceInfo';
import { lastActiveEditor } from '../../../workbench/activeEditor';
import type { ShowNotice } from '../../../workbench/notice';
import { reindent } from './codeEdit';

/** VS Code's language ids by fence info string. */
const LANGUAGES: Readonly<Record<string, string>> = {
  bash: 'shellscript',
  cjs: 'javascript',
  console: 'shellscript',
  cs: 'csharp',
  'c#': 'csharp',
  'c++': 'cpp',
  docker: 'dockerfile',
  golang: 'go',
  h: 'c',
  hpp: 'cpp',
  htm: 'html',
  js: 'javascript',
  jsx: 'javascriptreact',
  kt: 'kotlin',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  patch: 'diff',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  shell: 'shellscript',
  ts: 'typescript',
  tsx: 'typescriptreact',
  yml: 'yaml',
  zsh: 'shellscript',
};

/** Replaces the editor's selections by code with their indentation, and focuses the editor. */
export async function insertCode(code: string, showNotice: ShowNotice): Promise<void> {
  const warn = (text: string): void => showNotice({ text, isWarning: true });
  const editor = lastActiveEditor();
  if (!editor) return warn(t('Open a file and place the cursor where you want the code, then insert the code again.'));
  const isInserted = await editor.edit((builder) => {
    for (const selection of editor.selections) {
      const line = editor.document.lineAt(selection.start.line).text;
      builder.replace(selection, reindent(code, line.slice(0, selection.start.character)));
    }
  });
  if (!isInserted) return warn(t('The file in the editor cannot be changed.'));
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

export async function openCode(code: string, info: string): Promise<void> {
  const language = await languageId(info);
  const options = { content: code, ...(language !== undefined && { language }) };
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(options));
}

async function languageId(info: string): Promise<string | undefined> {
  const { language, path } = codeInfo(info);
  const languageIds = new Set(await vscode.languages.getLanguages());
  const names = [language, ...(path === undefined ? [] : [extensionOf(path)])];
  return names.map((name) => LANGUAGES[name] ?? name).find((id) => languageIds.has(id));
}
