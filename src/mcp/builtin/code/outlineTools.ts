import * as vscode from 'vscode';
import type { Tool } from '../../contract/toolServerTypes';
import { tool } from '../../contract/toolServerTypes';
import { executeProvider } from '../common/executeProvider';
import { pathFilter } from '../common/pathFilter';
import { openToRead, ReadableFiles } from '../common/readableFiles';
import { labelOf } from '../common/workspaceFile';

const DEFAULT_SYMBOL_LIMIT = 100;
const MAX_OUTLINE = 1_000;

interface OutlineLine {
  readonly name: string;
  readonly kind: string;
  readonly line: number;
  readonly end_line: number;
  readonly depth: number;
  readonly detail?: string;
}

export function outlineTool(): Tool {
  return tool({
    name: 'outline',
    title: 'Outline of a file',
    description: 'The symbols of a file with their lines, nested by depth',
    annotations: { readOnlyHint: true, idempotentHint: true },
    approval: 'free',
    input: (z) =>
      z.object({
        path: z.string().describe('File, relative to a workspace folder'),
        depth: z.int().min(1).max(10).optional().describe('Levels below the file; all when absent'),
      }),
    output: (z) =>
      z.object({
        symbols: z.array(
          z.object({
            name: z.string(),
            kind: z.string(),
            line: z.int(),
            end_line: z.int(),
            depth: z.int(),
            detail: z.string().optional(),
          }),
        ),
        truncated: z.boolean(),
        unsaved: z.boolean(),
      }),
    call: async ({ path, depth = 10 }, context) => {
      const { document, label, unsaved } = await openToRead(path, context);
      const at = [document.uri];
      const found = await executeProvider<AnySymbol[]>('vscode.executeDocumentSymbolProvider', at, context.signal);
      const all = outlineOf(found ?? [], 0, depth);
      const symbols = all.slice(0, MAX_OUTLINE);
      const text = outlineText(symbols) || `No language server knows symbols of ${label}.`;
      return { text, structured: { symbols, truncated: all.length > symbols.length, unsaved } };
    },
  });
}

function outlineText(symbols: readonly OutlineLine[]): string {
  return symbols
    .map(({ name, kind, line, end_line: end, depth }) => `${'  '.repeat(depth)}${line}-${end} ${kind} ${name}`)
    .join('\n');
}

/** Older providers return a flat list with locations. */
type AnySymbol = vscode.DocumentSymbol | vscode.SymbolInformation;

function outlineOf(symbols: readonly AnySymbol[], depth: number, limit: number): readonly OutlineLine[] {
  if (depth >= limit) return [];
  return symbols.flatMap((symbol) => {
    const range = 'location' in symbol ? symbol.location.range : symbol.range;
    const detail = 'detail' in symbol && symbol.detail !== '' ? { detail: symbol.detail } : {};
    const kind = kindName(symbol.kind);
    const line = {
      name: symbol.name,
      kind,
      line: range.start.line + 1,
      end_line: range.end.line + 1,
      depth,
      ...detail,
    };
    return [line, ...outlineOf('children' in symbol ? symbol.children : [], depth + 1, limit)];
  });
}

function kindName(kind: vscode.SymbolKind): string {
  return (vscode.SymbolKind[kind] ?? 'symbol').toLowerCase();
}

interface SymbolItem {
  readonly name: string;
  readonly kind: string;
  readonly container: string;
  readonly path: string;
  readonly line: number;
}

export function findSymbolTool(): Tool {
  return tool({
    name: 'find_symbol',
    title: 'Find symbols',
    description: 'Symbols of the whole workspace by name, as language servers know them; a part of the name is enough',
    annotations: { readOnlyHint: true, idempotentHint: true },
    approval: 'free',
    input: (z) =>
      z.object({
        query: z.string().min(1).describe('The name, or a part of it'),
        kind: z.string().optional().describe('Only of this kind, such as class, function, method, interface, variable'),
        path_glob: z.string().optional().describe('Only in paths that match, such as src/**'),
        limit: z.int().min(1).max(500).optional().describe(`At most so many; ${DEFAULT_SYMBOL_LIMIT} when absent`),
      }),
    output: (z) =>
      z.object({
        symbols: z.array(
          z.object({ name: z.string(), kind: z.string(), container: z.string(), path: z.string(), line: z.int() }),
        ),
        total: z.int(),
        truncated: z.boolean(),
      }),
    call: async ({ query, kind, path_glob: glob, limit = DEFAULT_SYMBOL_LIMIT }, { session, signal }) => {
      const files = new ReadableFiles(session);
      const found = await executeProvider<Found[]>('vscode.executeWorkspaceSymbolProvider', [query], signal);
      const readable = await files.filter(found ?? [], ({ location }) => location.uri, { part: 'names' });
      const all = readable
        .map(toSymbolItem)
        .filter((symbol) => kind === undefined || symbol.kind === kind.toLowerCase())
        .filter(pathFilter(glob));
      const symbols = all.slice(0, limit);
      const lines = symbols.map(({ name, kind: what, path, line }) => `${path}:${line}  ${what} ${name}`);
      const none = `No language server knows a symbol like ${JSON.stringify(query)}. A file of its language may have to be open first.`;
      const text = (symbols.length === 0 ? none : lines.join('\n')) + files.note;
      return { text, structured: { symbols, total: all.length, truncated: all.length > limit } };
    },
  });
}

type Found = vscode.SymbolInformation;

function toSymbolItem({ name, kind, containerName, location }: Found): SymbolItem {
  const line = location.range.start.line + 1;
  return { name, kind: kindName(kind), container: containerName, path: labelOf(location.uri), line };
}
