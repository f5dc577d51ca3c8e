import * as vscode from 'vscode';
import type { Tool } from '../../contract/toolServerTypes';
import { tool } from '../../contract/toolServerTypes';
import { executeProvider } from '../common/executeProvider';
import { ReadableFiles } from '../common/readableFiles';
import type { LineLocation } from '../common/symbolLocation';
import { findSymbol, lineAt, symbolLocationFields, locationText } from '../common/symbolLocation';
import { labelOf } from '../common/workspaceFile';

const DEFAULT_LOCATION_LIMIT = 100;

type Target = vscode.Location | vscode.LocationLink;

const DEFINITIONS = {
  definition: 'vscode.executeDefinitionProvider',
  type: 'vscode.executeTypeDefinitionProvider',
  implementation: 'vscode.executeImplementationProvider',
  declaration: 'vscode.executeDeclarationProvider',
} as const;

export function definitionTool(): Tool {
  return tool({
    name: 'definition',
    title: 'Go to definition',
    description: 'Where a symbol is defined, with the lines there; also its type, implementations, or declaration',
    annotations: { readOnlyHint: true, idempotentHint: true },
    approval: 'free',
    input: (z) =>
      z.object({
        ...symbolLocationFields(z),
        kind: z
          .enum(['definition', 'type', 'implementation', 'declaration'])
          .optional()
          .describe('definition when absent'),
      }),
    output: (z) =>
      z.object({
        locations: z.array(z.object({ path: z.string(), line: z.int(), text: z.string(), snippet: z.string() })),
        unsaved: z.boolean(),
      }),
    call: async ({ kind = 'definition', ...location }, context) => {
      const { document, position, unsaved } = await findSymbol(location, context);
      const { session, signal } = context;
      const files = new ReadableFiles(session);
      const found = await executeProvider<Target[]>(DEFINITIONS[kind], [document.uri, position], signal);
      const known = await files.filter(found ?? [], uriOf, { part: 'names', limit: DEFAULT_LOCATION_LIMIT });
      const locations = await Promise.all(known.map((target) => locationOf(target, files)));
      const none = `No ${kind} of ${JSON.stringify(location.symbol)} is known.`;
      const text =
        locations.length === 0 ? none : locations.map((each) => `${locationText(each)}\n${each.snippet}`).join('\n\n');
      return { text: text + files.note, structured: { locations, unsaved } };
    },
  });
}

/** Lines of context around a definition. */
const SNIPPET_LINES = 12;

function uriOf(target: Target): vscode.Uri {
  return 'targetUri' in target ? target.targetUri : target.uri;
}

/** Of a file that only the user could allow, such as a library outside the workspace, only the place. */
async function locationOf(target: Target, files: ReadableFiles): Promise<LineLocation & { readonly snippet: string }> {
  const uri = uriOf(target);
  const range = 'targetUri' in target ? (target.targetSelectionRange ?? target.targetRange) : target.range;
  const whole = 'targetUri' in target ? target.targetRange : target.range;
  if (!(await files.has(uri))) return { path: labelOf(uri), line: range.start.line + 1, text: '', snippet: '' };
  const location = await lineAt(uri, range);
  return { ...location, snippet: await snippetOf(uri, whole) };
}

async function snippetOf(uri: vscode.Uri, { start, end }: vscode.Range): Promise<string> {
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const last = Math.min(Math.max(end.line, start.line), start.line + SNIPPET_LINES, document.lineCount - 1);
    return document.getText(new vscode.Range(start.line, 0, last, document.lineAt(last).text.length));
  } catch {
    return '';
  }
}

export function referencesTool(): Tool {
  return tool({
    name: 'references',
    title: 'Find references',
    description: 'Every use of a symbol, by file',
    annotations: { readOnlyHint: true, idempotentHint: true },
    approval: 'free',
    input: (z) =>
      z.object({
        ...symbolLocationFields(z),
        include_declaration: z.boolean().optional().describe('true when absent'),
        limit: z.int().min(1).max(1_000).optional().describe(`At most so many; ${DEFAULT_LOCATION_LIMIT} when absent`),
      }),
    output: (z) =>
      z.object({
        by_file: z.array(z.object({ path: z.string(), items: z.array(z.object({ line: z.int(), text: z.string() })) })),
        total: z.int(),
        truncated: z.boolean(),
        unsaved: z.boolean(),
      }),
    call: async (
      { include_declaration: withDeclaration = true, limit = DEFAULT_LOCATION_LIMIT, ...location },
      context,
    ) => {
      const { document, position, unsaved } = await findSymbol(location, context);
      const { session, signal } = context;
      const files = new ReadableFiles(session);
      const at = [document.uri, position];
      const found = (await executeProvider<vscode.Location[]>('vscode.executeReferenceProvider', at, signal)) ?? [];
      const declared = withDeclaration ? [] : await declarations(document, position, signal);
      const others = found.filter(({ uri, range }) => !declared.some((each) => isDefinitionAt(each, uri, range)));
      const uses = await files.filter(others, ({ uri }) => uri);
      const usedLines = await Promise.all(uses.slice(0, limit).map(({ uri, range }) => lineAt(uri, range)));
      const text = usedLines.map(locationText).join('\n') || `No use of ${JSON.stringify(location.symbol)} is known.`;
      const total = uses.length;
      const structured = { by_file: byFile(usedLines), total, truncated: total > limit, unsaved };
      return { text: text + files.note, structured };
    },
  });
}

interface UsedLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

function byFile(usedLines: readonly UsedLine[]): { path: string; items: { line: number; text: string }[] }[] {
  const paths = [...new Set(usedLines.map(({ path }) => path))];
  return paths.map((path) => ({
    path,
    items: usedLines.filter((each) => each.path === path).map(({ line, text }) => ({ line, text })),
  }));
}

async function declarations(
  document: vscode.TextDocument,
  position: vscode.Position,
  signal: AbortSignal,
): Promise<readonly vscode.Location[]> {
  const found = await executeProvider<Target[]>('vscode.executeDefinitionProvider', [document.uri, position], signal);
  return (found ?? []).map((target) =>
    'targetUri' in target
      ? new vscode.Location(target.targetUri, target.targetSelectionRange ?? target.targetRange)
      : target,
  );
}

function isDefinitionAt(location: vscode.Location, uri: vscode.Uri, range: vscode.Range): boolean {
  return location.uri.toString() === uri.toString() && location.range.contains(range.start);
}

export function hoverTool(): Tool {
  return tool({
    name: 'hover',
    title: 'Type and documentation',
    description: 'What hovering over a symbol shows: its type or signature and its documentation',
    annotations: { readOnlyHint: true, idempotentHint: true },
    approval: 'free',
    input: (z) => z.object(symbolLocationFields(z)),
    output: (z) => z.object({ text: z.string(), unsaved: z.boolean() }),
    call: async (location, context) => {
      const { document, position, unsaved } = await findSymbol(location, context);
      const { session, signal } = context;
      const files = new ReadableFiles(session);
      const hovers = await executeProvider<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        [document.uri, position],
        signal,
      );
      // A type can contain the value of a constant.
      const isReadable = await isDefinedInReadable(document, position, files);
      const parts = (isReadable ? (hovers ?? []) : [])
        .flatMap(({ contents }) => contents.map(markdownText))
        .filter((part) => part.trim() !== '');
      const none = `Nothing is known of ${JSON.stringify(location.symbol)}.`;
      const text = (parts.length === 0 ? none : parts.join('\n\n')) + files.note;
      return { text, structured: { text, unsaved } };
    },
  });
}

async function isDefinedInReadable(
  document: vscode.TextDocument,
  position: vscode.Position,
  files: ReadableFiles,
): Promise<boolean> {
  const at = [document.uri, position];
  const found = await vscode.commands.executeCommand<Target[] | undefined>(DEFINITIONS.definition, ...at);
  const targets = found ?? [];
  return (await files.filter(targets, uriOf, { part: 'names' })).length === targets.length;
}

function markdownText(content: vscode.MarkdownString | vscode.MarkedString): string {
  if (typeof content === 'string') return content;
  return 'language' in content ? `\`\`\`${content.language}\n${content.value}\n\`\`\`` : content.value;
}
