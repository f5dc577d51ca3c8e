import type { Tool, ToolServer, Zod } from '../../contract/toolServerTypes';
import { tool } from '../../contract/toolServerTypes';
import type { AgentEdit } from '../common/applyWorkspaceEdit';
import { cellSchema, cellText, openNotebook, toCell } from './notebookCells';
import { editTool } from './notebookEditTool';
import { executeTool } from './notebookExecuteTool';

/** Default number of cells in a result. */
const DEFAULT_CELL_LIMIT = 100;

/** Tools for notebooks in the editor, including unsaved cells, outputs and the user's kernel. */
export function notebookServer(agentEdit: AgentEdit): ToolServer {
  return {
    name: 'notebook',
    title: 'Notebooks',
    description: 'Reads, edits and runs cells of notebooks',
    tools: [readTool(), editTool(agentEdit), executeTool()],
  };
}

function readTool(): Tool {
  return tool({
    name: 'read',
    title: 'Read a notebook',
    description: 'The cells of a notebook with the text of their outputs, as the editor has them',
    annotations: { readOnlyHint: true, idempotentHint: true },
    approval: 'free',
    input: (z) =>
      z.object({
        path: z.string().describe('File, relative to a workspace folder'),
        start: z.int().min(0).optional().describe('First cell, from 0'),
        limit: z.int().min(1).max(500).optional().describe(`At most so many cells; ${DEFAULT_CELL_LIMIT} when absent`),
      }),
    output: readOutput,
    call: async ({ path, start = 0, limit = DEFAULT_CELL_LIMIT }, context) => {
      const { notebook, label } = await openNotebook(path, context);
      const { cellCount: total, version, isDirty: unsaved } = notebook;
      const cells = notebook
        .getCells()
        .slice(start, start + limit)
        .map(toCell);
      const text = [`${label}, ${total} cells`, ...cells.map(cellText)].join('\n\n');
      return { text, structured: { cells, total, truncated: start + cells.length < total, version, unsaved } };
    },
  });
}

function readOutput(z: Zod) {
  return z.object({
    cells: z.array(cellSchema(z)),
    total: z.int(),
    truncated: z.boolean(),
    version: z.int().describe('For edit'),
    unsaved: z.boolean(),
  });
}
