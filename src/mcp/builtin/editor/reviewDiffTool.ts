import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Tool, Zod } from '../../toolServerTypes';
import { tool, ToolError } from '../../toolServerTypes';
import type { WorkspaceFile } from '../common/workspaceFile';
import { resolveWorkspaceFile } from '../common/workspaceFile';
import type { AgentEdit } from '../common/applyWorkspaceEdit';
import { applyEdit } from '../common/applyWorkspaceEdit';
import type { VirtualFiles } from '../../../workbench/virtualDocuments';
import { closeDiffs } from '../../../workbench/virtualDocuments';

/** Scheme of proposed texts, which the user can edit before accepting them. */
export const PROPOSED_SCHEME = 'parley-proposed';

interface Proposed extends WorkspaceFile {
  readonly proposal: vscode.Uri;
  readonly newText: string;
}

export function reviewTool(agentEdit: AgentEdit, proposals: VirtualFiles): Tool {
  return tool({
    name: 'review',
    title: 'Propose texts',
    description:
      'Shows the user proposed texts of files in a diff. The user may change them, and accepts or rejects: accepted texts are written.',
    annotations: { destructiveHint: true },
    approval: 'always',
    asksItself: true,
    input: reviewInput,
    output: reviewOutput,
    call: async ({ title, files }, { session, approve }) => {
      const id = randomUUID();
      const proposed = files.map(({ path, new_text: newText }) => {
        const file = resolveWorkspaceFile(path, session);
        const proposal = vscode.Uri.from({ scheme: PROPOSED_SCHEME, authority: id, path: file.uri.path });
        proposals.writeFile(proposal, new TextEncoder().encode(newText));
        return { ...file, newText, proposal };
      });
      try {
        await openDiffs(title, proposed);
        const paths = proposed.map(({ uri }) => uri.fsPath);
        const isAccepted = await approve({ title, paths }).then(
          () => true,
          () => false,
        );
        if (!isAccepted)
          return { text: 'The user rejected it.', structured: { decision: 'rejected' as const, files: [] } };
        return await accept(proposed, session.id, agentEdit);
      } finally {
        await close(proposed);
        for (const { proposal } of proposed) proposals.remove(proposal);
      }
    },
  });
}

function reviewInput(z: Zod) {
  return z.object({
    title: z.string().min(1).describe('What it is about, in a few words'),
    files: z
      .array(z.object({ path: z.string(), new_text: z.string().describe('The whole text of the file') }))
      .min(1)
      .max(20),
  });
}

function reviewOutput(z: Zod) {
  return z.object({
    decision: z.enum(['accepted', 'rejected', 'edited']),
    files: z.array(z.object({ path: z.string(), final_text: z.string() })),
  });
}

/** The diff of one file, or a multi-file diff. */
async function openDiffs(title: string, proposed: readonly Proposed[]): Promise<void> {
  const [first] = proposed;
  if (!first) throw new ToolError('There are no files.', 'Give at least one.');
  const sides = await Promise.all(proposed.map(async (file) => ({ file, left: await currentOf(file) })));
  if (sides.length === 1) {
    const options = { preserveFocus: true, preview: false };
    await vscode.commands.executeCommand(
      'vscode.diff',
      sides[0]?.left,
      first.proposal,
      `${title}: ${first.label}`,
      options,
    );
  } else {
    const resources = sides.map(({ file, left }) => [file.uri, left, file.proposal]);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  }
}

/** The current file; an empty document if it does not exist. */
async function currentOf({ uri }: WorkspaceFile): Promise<vscode.Uri> {
  const exists = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  return exists ? uri : uri.with({ scheme: 'untitled' });
}

async function accept(
  proposed: readonly Proposed[],
  sessionId: string,
  agentEdit: AgentEdit,
): Promise<{
  text: string;
  structured: { decision: 'accepted' | 'edited'; files: { path: string; final_text: string }[] };
}> {
  const edit = new vscode.WorkspaceEdit();
  const files: { path: string; final_text: string }[] = [];
  let isEdited = false;
  for (const { uri, label, proposal, newText } of proposed) {
    const finalText = (await vscode.workspace.openTextDocument(proposal)).getText();
    isEdited ||= finalText !== newText;
    files.push({ path: label, final_text: finalText });
    const current = await vscode.workspace.openTextDocument(uri).then(
      (document) => document,
      () => undefined,
    );
    if (current) edit.replace(uri, new vscode.Range(0, 0, current.lineCount, 0), finalText);
    else edit.createFile(uri, { contents: new TextEncoder().encode(finalText) });
  }
  await applyEdit(edit, sessionId, agentEdit);
  const decision = isEdited ? ('edited' as const) : ('accepted' as const);
  const text = isEdited ? 'The user changed it and accepted it; the final texts are written.' : 'Accepted and written.';
  return { text, structured: { decision, files } };
}

/** Closes the diff tabs after the answer. */
async function close(proposed: readonly Proposed[]): Promise<void> {
  const own = new Set(proposed.map(({ proposal }) => proposal.toString()));
  // Avoids the save prompt: the edits were applied or are discarded.
  for (const uri of own) {
    const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri);
    if (document?.isDirty) await document.save();
  }
  await closeDiffs(proposed.map(({ proposal }) => proposal));
}
