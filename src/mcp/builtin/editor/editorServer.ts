import type { Event } from '../../../base/event';
import type { ChangedFile } from '../../../shared/state/reviewState';
import type { VirtualFiles } from '../../../workbench/virtualDocuments';
import type { ToolServer } from '../../contract/toolServerTypes';
import type { AgentEdit } from '../common/applyWorkspaceEdit';
import { openTool, selectionText, editorStateTool } from './editorTools';
import { reviewTool } from './reviewDiffTool';

/** @param onDidChangeChanges fires for changes to review in any session */
export function editorServer(
  agentEdit: AgentEdit,
  proposals: VirtualFiles,
  onDidChangeSelection: Event<void>,
  onDidChangeChanges: Event<void>,
): ToolServer {
  return {
    name: 'editor',
    title: 'Editor',
    description: 'What the user looks at, and showing something to the user',
    tools: [editorStateTool(), openTool(), reviewTool(agentEdit, proposals)],
    resources: [
      {
        uri: 'ide://selection',
        name: 'selection',
        title: 'Selection',
        description: 'The file that the user looks at, and what is selected in it',
        mimeType: 'text/plain',
        onDidChange: onDidChangeSelection,
        read: selectionText,
      },
      {
        uri: 'ide://changes',
        name: 'changes',
        title: 'Changes',
        description: 'Files with changes of this session that the user has neither kept nor undone, one a line',
        mimeType: 'text/plain',
        onDidChange: onDidChangeChanges,
        read: async ({ state }) => changesText(state.changes),
      },
    ],
  };
}

/** `changed src/a.ts +3 -1` for each file. */
function changesText(changes: readonly ChangedFile[]): string {
  const lines = changes.map(({ status, label, from, added, removed, binary, conflict }) => {
    const size = binary ? 'binary' : `+${added} -${removed}`;
    const name = from === undefined ? label : `${from} → ${label}`;
    return `${status} ${name} ${size}${conflict === undefined ? '' : `, conflict: ${conflict}`}`;
  });
  return lines.length === 0 ? 'Nothing waits for review.' : lines.join('\n');
}
