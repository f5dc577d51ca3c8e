import * as vscode from 'vscode';
import { asObject } from '../../base/json';

/** Scheme of the documents in which VS Code draws diagrams. The query of a URI is the text of the diagram. */
export const DIAGRAM_SCHEME = 'parley-diagram';

/** Whether VS Code's Markdown preview draws Mermaid diagrams: whether an extension has a script for that in it. */
export function canDrawDiagrams(): boolean {
  return vscode.extensions.all.some(({ id, packageJSON }) => {
    const { contributes, keywords } = asObject(packageJSON) ?? {};
    const scripts = asObject(contributes)?.['markdown.previewScripts'];
    return Array.isArray(scripts) && scripts.length > 0 && [id, keywords].some((name) => /mermaid/i.test(String(name)));
  });
}
