import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { t } from '../../../base/l10n';
import { formatLineRanges, mergeThreeWay } from '../../../history/diff/threeWayMerge';
import type { SessionHandle } from '../../../session/sessionHandle';
import { saveInPlace, savedFile } from '../../../workbench/editorWrites';
import { AS_TEXT } from '../../../workbench/textEditorOptions';
import { withEol } from '../../../workbench/textEdits';
import { encodeNewText } from '../../../workbench/textForm';
import type { VirtualFiles } from '../../../workbench/virtualDocuments';
import { closeDiffs } from '../../../workbench/virtualDocuments';
import type { Tool, Zod } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import type { AgentEdit, NewFile } from '../common/applyWorkspaceEdit';
import { applyEdit } from '../common/applyWorkspaceEdit';
import { EditPlanner, requireAllInPlace } from '../common/plannedEdit';
import type { NamedFile, WorkspaceFile } from '../common/workspaceFile';
import { openDocument, resolveWorkspaceFile } from '../common/workspaceFile';

/** Scheme of proposed texts, which the user can edit before accepting them. */
export const PROPOSED_SCHEME = 'parley-proposed';

interface Proposed extends WorkspaceFile {
  readonly proposal: vscode.Uri;
  readonly newText: string;
  /** The text when it was proposed, unsaved changes included; undefined for a new file. */
  readonly base: string | undefined;
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
      const propose = async ({ path, new_text: newText }: (typeof files)[number]): Promise<Proposed> => {
        const { uri, real, label } = resolveWorkspaceFile(path, session);
        const proposal = vscode.Uri.from({ scheme: PROPOSED_SCHEME, authority: id, path: uri.path });
        const base = (await documentOf({ uri, label }))?.getText();
        proposals.writeFile(proposal, new TextEncoder().encode(newText));
        return { uri, real, label, newText, proposal, base };
      };
      const proposed = await Promise.all(files.map(propose));
      try {
        await openDiffs(`Proposed: ${title}`, proposed);
        const paths = proposed.map(({ uri }) => uri.fsPath);
        // The title is the agent's; the question shows it with all other arguments.
        const labels = proposed.map(({ label }) => label).join(', ');
        const isAccepted = await approve({ title: `Write the proposed text of ${labels}`, paths }).then(
          () => true,
          () => false,
        );
        if (!isAccepted)
          return { text: 'The user rejected it.', structured: { decision: 'rejected' as const, files: [] } };
        return await accept(proposed, session, agentEdit);
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

/** With what the file has by now; undefined for a new file. */
async function documentOf(file: NamedFile): Promise<vscode.TextDocument | undefined> {
  return openDocument(file).then(
    ({ document }) => document,
    () => undefined,
  );
}

/** The diff of one file, or a multi-file diff. */
async function openDiffs(title: string, proposed: readonly Proposed[]): Promise<void> {
  const [first] = proposed;
  if (!first) throw new ToolError('There are no files.', 'Give at least one.');
  const sides = await Promise.all(proposed.map(async (file) => ({ file, left: await currentOf(file) })));
  if (sides.length === 1) {
    const options = { preserveFocus: true, preview: false, ...AS_TEXT };
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
  session: SessionHandle,
  agentEdit: AgentEdit,
): Promise<{
  text: string;
  structured: { decision: 'accepted' | 'edited'; files: { path: string; final_text: string }[] };
}> {
  requireAllInPlace(proposed);
  const planner = new EditPlanner();
  const edit = new vscode.WorkspaceEdit();
  const created: NewFile[] = [];
  const files: { path: string; final_text: string }[] = [];
  let isEdited = false;
  for (const file of proposed) {
    const { uri, real, label, proposal, newText } = file;
    const accepted = (await vscode.workspace.openTextDocument(proposal)).getText();
    const current = await documentOf(file);
    const finalText = merge(file, current?.getText(), accepted, session);
    isEdited ||= withEol(finalText, '\n') !== withEol(newText, '\n');
    files.push({ path: label, final_text: finalText });
    if (current) edit.replace(uri, new vscode.Range(0, 0, current.lineCount, 0), finalText);
    else created.push({ uri, real, bytes: await bytesOfNew(file, finalText) });
  }
  await applyEdit(await planner.plan(edit, proposed), session.id, agentEdit, created);
  const decision = isEdited ? ('edited' as const) : ('accepted' as const);
  const text = isEdited ? 'The user changed it and accepted it; the final texts are written.' : 'Accepted and written.';
  return { text, structured: { decision, files } };
}

/**
 * The accepted text with what the user has changed in the file meanwhile.
 * @param now the text of the file, unsaved changes included
 * @throws ToolError when both changed the same lines; the user is told
 */
function merge({ base, label }: Proposed, now: string | undefined, accepted: string, session: SessionHandle): string {
  if (base === now) return accepted;
  const [before, mine, theirs] = [base, now, accepted].map((text) => withEol(text ?? '', '\n'));
  const merged = mergeThreeWay(before ?? '', mine ?? '', theirs ?? '');
  if (now !== undefined && merged.type === 'merged') return merged.text;
  const lines = merged.type === 'overlap' ? formatLineRanges(merged.lines) : t('deleted');
  const title = t('An edit was not applied');
  const text = t(
    'The agent’s edit of {0} overlaps your changes ({1}). Your text was not changed, and the agent received an error.',
    label,
    lines,
  );
  session.dispatch({ type: 'noticeShown', severity: 'warning', title, text, at: Date.now() });
  throw new ToolError(
    `${label} has changed by the user while the proposal waited, in the same places.`,
    'Nothing was written. Read the file again and propose a text that keeps their changes.',
  );
}

async function bytesOfNew({ uri, label }: Proposed, text: string): Promise<Uint8Array> {
  const bytes = await encodeNewText(text, uri);
  if (bytes) return bytes;
  throw new ToolError(
    `${label} cannot be written: the encoding of new files lacks a character of the text.`,
    'Nothing was written; use other characters, or ask the user to set "files.encoding".',
  );
}

/** Closes the diff tabs after the answer. */
async function close(proposed: readonly Proposed[]): Promise<void> {
  const own = new Set(proposed.map(({ proposal }) => proposal.toString()));
  // Avoids the save prompt: the edits were applied or are discarded.
  for (const uri of own) {
    const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri);
    if (document?.isDirty) await saveInPlace(document, savedFile(document));
  }
  await closeDiffs(proposed.map(({ proposal }) => proposal));
}
