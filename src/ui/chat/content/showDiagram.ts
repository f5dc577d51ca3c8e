import * as vscode from 'vscode';
import { ParleyError } from '../../../base/errors';
import { t } from '../../../base/l10n';
import { toWellFormed } from '../../../base/text';
import { entriesFrom } from '../../../shared/state/entryPages';
import type { SessionState } from '../../../shared/state/sessionState';
import { showWarningMessage } from '../../../workbench/windowMessages';
import { DIAGRAM_SCHEME, canDrawDiagrams } from '../diagramSupport';

/** Maximum UTF-16 units of a diagram, as of VS Code's setting `markdown-mermaid.maxTextSize`. */
const MAX_DIAGRAM = 50_000;

const MERMAID = /^ *(`{3,}|~{3,})[ \t]*mermaid\b[^\r\n]*\r?\n([\s\S]*?)^ *\1/gm;

/**
 * What can make the preview request a URL, which tells its host what an agent has read: addresses, styles that take one, images, HTML other
 * than line breaks, configuration, and escapes that can hide these.
 */
const MAY_LOAD =
  /https?:|\/\/|(?:url|image|image-set|src)\s*\(|@\{|@import|%%\{|^\s*---\s[\s\S]*config|!\[|<\/?(?!br ?\/?>)[a-z!]|\\(?!n)/i;

/** Mermaid removes some semicolons, and URLs have no control characters: neither must hide what {@link MAY_LOAD} finds. */
// oxlint-disable-next-line no-control-regex -- they are meant
const IGNORED = /[;\0-\x1F]/g;

/**
 * Draws a Mermaid diagram in VS Code's Markdown preview.
 * @throws ParleyError when it is too long
 */
export async function showDiagram(text: string): Promise<void> {
  const code = toWellFormed(text.trimEnd());
  if (code.length > MAX_DIAGRAM)
    throw new ParleyError('badInput', t('The diagram has {0} characters; the limit is {1}.', code.length, MAX_DIAGRAM));
  const mayLoad = [code, code.replaceAll(IGNORED, '')].some((each) => MAY_LOAD.test(each));
  if (mayLoad && !(await confirm())) return;
  // The same URI for the same text: VS Code shows the tab that it has.
  const uri = vscode.Uri.from({ scheme: DIAGRAM_SCHEME, path: `/${t('Diagram')}.md`, query: code });
  await vscode.commands.executeCommand('markdown.showPreview', uri);
}

/** @throws ParleyError when there is none, or VS Code draws no diagrams */
export async function showLastDiagram({ entries }: SessionState): Promise<void> {
  if (!canDrawDiagrams()) {
    const nextStep = t('Install an extension that adds Mermaid to it.');
    throw new ParleyError('notFound', t('The Markdown preview of VS Code does not draw diagrams.'), { nextStep });
  }
  const texts = Array.from(entriesFrom(entries), ([, entry]) => (entry.kind === 'agent' ? entry.text : ''));
  const code = texts.flatMap((text) => Array.from(text.matchAll(MERMAID), (match) => match[2] ?? '')).at(-1);
  if (code === undefined) throw new ParleyError('notFound', t('This chat has no diagram.'));
  await showDiagram(code);
}

async function confirm(): Promise<boolean> {
  const show = t('Show Diagram');
  const detail = t('The preview may request URLs that the agent wrote, and so tell others what the agent knows.');
  const options = { modal: true, detail };
  return (await showWarningMessage(t('This diagram can load content from the internet.'), options, show)) === show;
}
