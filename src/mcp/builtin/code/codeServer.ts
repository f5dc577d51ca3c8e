import type { ToolServer } from '../../contract/toolServerTypes';
import { callsTool, typesTool } from './hierarchyTools';
import { findSymbolTool, outlineTool } from './outlineTools';
import { definitionTool, hoverTool, referencesTool } from './symbolTools';

/** Read-only tools over language servers: symbols, definitions, references, hierarchies. */
export function codeServer(): ToolServer {
  return {
    name: 'code',
    title: 'Code',
    description: 'What the language servers of the editor know of the code',
    instructions:
      'Prefer these to searching text: they know scopes, imports and types. Name a symbol and its file; give the line where the name stands more than once.',
    tools: [outlineTool(), findSymbolTool(), definitionTool(), referencesTool(), hoverTool(), callsTool(), typesTool()],
  };
}
