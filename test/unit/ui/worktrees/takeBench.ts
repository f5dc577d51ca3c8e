import { stub } from '../vscodeStub';
import { writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { Git } from '../../../../src/node/gitCommand';
import { CheckpointStore } from '../../../../src/review/checkpoints/checkpointStore';
import { RecordedCheckpoints } from '../../../../src/review/checkpoints/recordedCheckpoints';
import { WorkspaceSnapshots } from '../../../../src/review/git/workspaceSnapshots';
import { BlobStore } from '../../../../src/review/storage/blobStore';
import { readContent, unknownBecause, writeContent } from '../../../../src/review/storage/fileContent';
import { ChangeTracker } from '../../../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../../../src/review/tracking/modifiedFiles';
import { ReviewScopes } from '../../../../src/review/tracking/reviewScope';
import type { WorkingFiles } from '../../../../src/review/tracking/workingFiles';
import type { Sessions } from '../../../../src/session/sessions';
import type { Review } from '../../../../src/ui/window';
import { TakeChanges } from '../../../../src/ui/worktrees/takeChanges';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { stubOf } from '../../../kit/stubOf';
import { checkpointData, checkpointOwner } from '../../review/checkpointsOf';
import { agentsIn, byAgent } from '../../review/otherWork';
import type { WorktreeBench } from '../../worktrees/worktreeBench';

/** Another process of VS Code writes: a kill of the extension host, which replaces the functions of fs, does not cut it off. */
const writeAsVsCode = writeFileSync;

/** An editor of VS Code, without unsaved text at first. */
class Document {
  readonly eol = 1;
  readonly encoding = 'utf8';
  readonly isClosed = false;
  readonly uri: { readonly fsPath: string };
  version = 1;
  #text: string;
  #saved: string;

  constructor(uri: { fsPath: string }, text: string) {
    this.uri = uri;
    this.#text = this.#saved = text;
  }

  get isDirty(): boolean {
    return this.#text !== this.#saved;
  }

  getText(): string {
    return this.#text;
  }

  positionAt(offset: number): number {
    return offset;
  }

  replace(start: number, end: number, text: string): void {
    this.#text = this.#text.slice(0, start) + text + this.#text.slice(end);
    this.version++;
  }

  /** Like VS Code: truncates the file first, and returns only false when the disk is full. */
  async save(): Promise<boolean> {
    await Promise.resolve();
    try {
      writeAsVsCode(this.uri.fsPath, this.#text);
      this.#saved = this.#text;
      return true;
    } catch {
      return false;
    }
  }
}

const documents = new Map<string, Document>();

class WorkspaceEdit {
  readonly edits: (() => Promise<unknown>)[] = [];
  replace({ fsPath }: { fsPath: string }, { start, end }: { start: number; end: number }, text: string): void {
    this.edits.push(async () => documents.get(fsPath)?.replace(start, end, text));
  }
  deleteFile({ fsPath }: { fsPath: string }): void {
    this.edits.push(() => rm(fsPath));
  }
}

class Range {
  readonly start: number;
  readonly end: number;
  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }
}

async function openTextDocument(uri: { fsPath: string }): Promise<Document> {
  const document = new Document(uri, await readFile(uri.fsPath, 'utf8'));
  documents.set(uri.fsPath, document);
  return document;
}

function stubEditor(folder: string): void {
  const uriOf = (fsPath: string): object => ({ scheme: 'file', fsPath, toString: () => fsPath });
  // Nobody types.
  const never = (): { dispose(): void } => ({ dispose: () => undefined });
  Object.assign(stub, { WorkspaceEdit, Range });
  Object.assign(stub.Uri, { file: uriOf });
  Object.assign(stub.window, {
    onDidChangeTextEditorSelection: never,
    tabGroups: { all: [], close: async () => true },
  });
  Object.assign(stub.workspace, {
    workspaceFolders: [{ uri: uriOf(folder) }],
    textDocuments: [],
    onDidChangeTextDocument: never,
    openTextDocument,
    encode: async (text: string) => Buffer.from(text),
    decode: async (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8'),
    fs: { readFile: (uri: { fsPath: string }) => readFile(uri.fsPath) },
    applyEdit: async ({ edits }: WorkspaceEdit) => {
      for (const edit of edits) await edit();
      return true;
    },
  });
}

/** The checkpoints and the review of a window on the workspace. */
export async function openReview(
  program: string,
  { folder, base: root }: WorktreeBench,
): Promise<{ checkpoints: RecordedCheckpoints; tracker: ChangeTracker }> {
  const storage = join(root, 'review');
  const store = new CheckpointStore(join(storage, 'checkpoints.json'));
  await store.load();
  const scopes = new ReviewScopes(
    () => [folder],
    () => [],
    () => [folder],
  );
  const modifiedFiles = new ModifiedFiles((path) => path);
  const git = new Git(program, join(root, 'git'));
  const snapshots = new WorkspaceSnapshots(
    git,
    nullLogger,
    join(storage, 'git'),
    () => scopes.allFolders(),
    agentsIn(scopes),
  );
  const files: WorkingFiles = {
    readUnsaved: async () => undefined,
    saved: async () => undefined,
    disk: readContent,
    unknownBecause,
    write: (path, next) => writeContent(path, next),
    writeUnsaved: () => Promise.reject(new Error('no editors here')),
    unsavedPaths: () => [],
  };
  const tracker = new ChangeTracker(
    modifiedFiles,
    files,
    snapshots,
    byAgent(() => []),
    nullLogger,
  );
  const data = checkpointData(store, new BlobStore(join(storage, 'blobs')), snapshots);
  const checkpoints = new RecordedCheckpoints(data, tracker, checkpointOwner(scopes), nullLogger);
  return { checkpoints, tracker };
}

/**
 * Takes all changes of a worktree, as its button does.
 * @param writing Runs each write of a file.
 * @returns The problems shown to the user.
 */
export async function takeAll(
  { program, bench, worktrees }: { program: string; bench: WorktreeBench; worktrees: Worktrees },
  record: WorktreeRecord,
  writing: <T>(path: string, write: () => Promise<T>) => Promise<T> = (_path, write) => write(),
): Promise<readonly string[]> {
  stubEditor(bench.folder);
  const { checkpoints, tracker } = await openReview(program, bench);
  const problems: string[] = [];
  const take = new TakeChanges(
    worktrees,
    stubOf<Sessions>({}),
    stubOf<Review>({
      edit: (session, path, write) => tracker.runAgentEdit(session, path, () => writing(path, write)),
      withCheckpoint: (session, change) => checkpoints.around(session, change),
    }),
    { show: (notice) => problems.push(...(notice?.details ?? [])) },
  );
  await take.takeAll(record);
  await checkpoints.idle();
  return problems;
}
