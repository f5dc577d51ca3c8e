import * as vscode from 'vscode';
import type { ToolContext } from '../../../session/toolServer';
import type { Tool } from '../../contract/toolServerTypes';
import { tool } from '../../contract/toolServerTypes';
import { executeProvider } from '../common/executeProvider';
import { ReadableFiles } from '../common/readableFiles';
import type { SymbolLocationInput } from '../common/symbolLocation';
import { findSymbol, symbolLocationFields } from '../common/symbolLocation';
import { labelOf } from '../common/workspaceFile';

const MAX_NODES = 200;

/** One line of a hierarchy; depth 0 is the symbol itself. */
interface Node {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  readonly depth: number;
  /** Lines of the calls in the caller's file. */
  readonly call_lines?: number[];
}

type Item = vscode.CallHierarchyItem | vscode.TypeHierarchyItem;

interface Step {
  readonly item: Item;
  readonly callLines?: number[];
}

/** Finds the direct neighbours of an item. */
type Next = (item: Item) => Promise<readonly Step[]>;

export function callsTool(): Tool {
  return tool({
    name: 'calls',
    title: 'Call hierarchy',
    description: 'Who calls a function, or what it calls, over several steps',
    annotations: { readOnlyHint: true, idempotentHint: true },
    approval: 'free',
    input: (z) =>
      z.object({
        ...symbolLocationFields(z),
        direction: z.enum(['incoming', 'outgoing']).describe('incoming: who calls it; outgoing: what it calls'),
        depth: z.int().min(1).max(3).optional().describe('Steps; 1 when absent'),
      }),
    output: (z) =>
      z.object({
        nodes: z.array(
          z.object({
            name: z.string(),
            path: z.string(),
            line: z.int(),
            depth: z.int(),
            call_lines: z.array(z.int()).optional(),
          }),
        ),
        truncated: z.boolean(),
      }),
    call: async ({ direction, depth = 1, ...location }, context) => {
      const files = new ReadableFiles(context.session);
      const roots = await prepare('vscode.prepareCallHierarchy', location, context);
      const next: Next = (item) => (direction === 'incoming' ? callers(item) : callees(item));
      const found = await walk(roots, next, depth, files);
      return { text: hierarchyText(found.nodes, location.symbol) + files.note, structured: found };
    },
  });
}

export function typesTool(): Tool {
  return tool({
    name: 'types',
    title: 'Type hierarchy',
    description: 'What a type extends or implements, or what extends and implements it',
    annotations: { readOnlyHint: true, idempotentHint: true },
    approval: 'free',
    input: (z) =>
      z.object({
        ...symbolLocationFields(z),
        direction: z.enum(['super', 'sub']).describe('super: what it extends; sub: what extends it'),
        depth: z.int().min(1).max(3).optional().describe('Steps; 1 when absent'),
      }),
    output: (z) =>
      z.object({
        nodes: z.array(z.object({ name: z.string(), path: z.string(), line: z.int(), depth: z.int() })),
        truncated: z.boolean(),
      }),
    call: async ({ direction, depth = 1, ...location }, context) => {
      const files = new ReadableFiles(context.session);
      const roots = await prepare('vscode.prepareTypeHierarchy', location, context);
      const command = direction === 'super' ? 'vscode.provideSupertypes' : 'vscode.provideSubtypes';
      const next: Next = async (item) => {
        const items = await vscode.commands.executeCommand<vscode.TypeHierarchyItem[] | undefined>(command, item);
        return (items ?? []).map((each) => ({ item: each }));
      };
      const found = await walk(roots, next, depth, files);
      return { text: hierarchyText(found.nodes, location.symbol) + files.note, structured: found };
    },
  });
}

async function prepare(
  command: `vscode.${string}`,
  location: SymbolLocationInput,
  context: ToolContext,
): Promise<readonly Item[]> {
  const { document, position } = await findSymbol(location, context);
  return (await executeProvider<Item[]>(command, [document.uri, position], context.signal)) ?? [];
}

async function callers(item: Item): Promise<readonly Step[]> {
  const calls = await vscode.commands.executeCommand<vscode.CallHierarchyIncomingCall[] | undefined>(
    'vscode.provideIncomingCalls',
    item,
  );
  return (calls ?? []).map(({ from, fromRanges }) => ({
    item: from,
    callLines: fromRanges.map(({ start }) => start.line + 1),
  }));
}

async function callees(item: Item): Promise<readonly Step[]> {
  const calls = await vscode.commands.executeCommand<vscode.CallHierarchyOutgoingCall[] | undefined>(
    'vscode.provideOutgoingCalls',
    item,
  );
  return (calls ?? []).map(({ to, fromRanges }) => ({
    item: to,
    callLines: fromRanges.map(({ start }) => start.line + 1),
  }));
}

/** Depth first, each item once: call graphs have cycles. */
async function walk(
  roots: readonly Item[],
  next: Next,
  depth: number,
  files: ReadableFiles,
): Promise<{ readonly nodes: Node[]; readonly truncated: boolean }> {
  const nodes: Node[] = [];
  const seen = new Set<string>();
  let truncated = false;
  const visit = async ({ item, callLines }: Step, level: number): Promise<void> => {
    if (nodes.length >= MAX_NODES) {
      truncated = true;
      return;
    }
    if (!(await files.has(item.uri, 'names'))) return;
    nodes.push({ ...nodeOf(item, level), ...(callLines && { call_lines: callLines }) });
    if (level >= depth || seen.has(itemKey(item))) return;
    seen.add(itemKey(item));
    for (const step of await next(item)) await visit(step, level + 1);
  };
  for (const item of roots) await visit({ item }, 0);
  return { nodes, truncated };
}

function itemKey({ uri, selectionRange }: Item): string {
  return `${uri.toString()} ${selectionRange.start.line}:${selectionRange.start.character}`;
}

function nodeOf({ name, uri, selectionRange }: Item, depth: number): Node {
  return { name, path: labelOf(uri), line: selectionRange.start.line + 1, depth };
}

function hierarchyText(nodes: readonly Node[], symbol: string): string {
  if (nodes.length === 0) return `No language server knows a hierarchy of ${JSON.stringify(symbol)}.`;
  return nodes.map(({ name, path, line, depth }) => `${'  '.repeat(depth)}${name}  ${path}:${line}`).join('\n');
}
