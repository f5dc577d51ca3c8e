import * as vscode from 'vscode';
import type { Event } from '../../base/event';
import type { ToolServer } from '../toolServer';
import type { AgentEdit } from './edits';
import { openTool, selectionText, stateTool } from './editorState';
import type { Proposals } from './proposals';
import { reviewTool } from './reviewTool';

export interface EditorDeps {
  readonly agentEdit: AgentEdit;
  readonly proposals: Proposals;
  readonly onDidChangeSelection: Event<void>;
}

/** What the person sees and has open. */
export function editorServer({ agentEdit, proposals, onDidChangeSelection }: EditorDeps): ToolServer {
  return {
    name: 'editor',
    title: 'Editor',
    description: 'What the person looks at, and showing something to the person',
    tools: [stateTool(), openTool(), reviewTool({ agentEdit, proposals })],
    resources: [
      {
        uri: 'ide://selection',
        name: 'selection',
        title: 'Selection',
        description: 'The file that the person looks at, and what is selected in it',
        mimeType: 'text/plain',
        onDidChange: onDidChangeSelection,
        read: async () => selectionText(vscode.window.activeTextEditor),
      },
    ],
  };
}
