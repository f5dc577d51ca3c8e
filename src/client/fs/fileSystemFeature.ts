import { resolve } from 'node:path';
import * as vscode from 'vscode';
import type { ClientFeature, RequestHandler } from '../../agent/clientFeature';
import { KeyedQueue } from '../../base/async';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { asNumber, omitUndefined, requireObject, requireString } from '../../base/json';
import { RpcError, rpcCodes } from '../../base/jsonRpc';
import type { Disposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { toWellFormed } from '../../base/text';
import type { FileAccess, SessionLookup } from '../../session/sessionHandle';
import { requireSession } from '../../session/sessionHandle';
import { LastSeenContents } from './lastSeenContents';
import { OwnEdits } from './ownEdits';
import type { ReadParams } from './readTextFile';
import { readTextFile } from './readTextFile';
import type { EditReview, WriteContext, WriteParams } from './writeTextFile';
import { writeTextFile } from './writeTextFile';

/** Serves `fs/read_text_file` and `fs/write_text_file` of one connection through the editor's buffers. Dispose with the connection. */
export class FileSystemFeature implements ClientFeature, Disposable {
  readonly capabilities = { fs: { readTextFile: true, writeTextFile: true } };
  readonly handlers: ClientFeature['handlers'];
  readonly #lastSeen = new LastSeenContents();
  /** Serializes reads and writes per file. */
  readonly #queue = new KeyedQueue();
  readonly #ownEdits = new OwnEdits();
  readonly #subscription: vscode.Disposable;
  readonly #onDidAccessFile = new Emitter<FileAccess>();

  /** Fires for every file that was read or written. */
  readonly onDidAccessFile = this.#onDidAccessFile.event;

  /** @param missingFileIsEmpty true for an agent that does not understand a missing-file error (`agent/quirks`): it gets empty text */
  constructor(
    private readonly lookup: SessionLookup,
    private readonly log: Logger,
    private readonly review?: EditReview,
    private readonly missingFileIsEmpty: () => boolean = () => false,
  ) {
    this.handlers = [
      {
        method: 'fs/read_text_file',
        parse: parseRead,
        handle: (params, context) => this.#read(params, context.signal),
      } satisfies RequestHandler<ReadParams>,
      {
        method: 'fs/write_text_file',
        parse: parseWrite,
        handle: (params, context) => this.#write(params, context.signal),
      } satisfies RequestHandler<WriteParams>,
    ];
    this.#subscription = vscode.workspace.onDidChangeTextDocument((event) => this.#handleChange(event));
  }

  /** Drops what a closed session has read. */
  closeSession(agentSessionId: string): void {
    this.#lastSeen.forgetSession(agentSessionId);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidAccessFile.dispose();
  }

  async #read(params: ReadParams, signal: AbortSignal): Promise<unknown> {
    const session = requireSession(this.lookup, params.sessionId);
    return this.#queue.run(resolve(params.path), async () => {
      try {
        const { path, content } = await readTextFile(params, session, this.#lastSeen, signal);
        this.#onDidAccessFile.fire({
          sessionId: session.id,
          path,
          kind: 'read',
          ...omitUndefined({ line: params.line }),
        });
        return { content };
      } catch (error) {
        const isMissing = error instanceof RpcError && error.code === rpcCodes.resourceNotFound;
        if (isMissing && this.missingFileIsEmpty()) return { content: '' };
        throw error;
      }
    });
  }

  async #write(params: WriteParams, signal: AbortSignal): Promise<unknown> {
    const session = requireSession(this.lookup, params.sessionId);
    const context: WriteContext = {
      session,
      lastSeen: this.#lastSeen,
      log: this.log,
      signal,
      ownEdits: this.#ownEdits,
      onDidAccessFile: (access) => this.#onDidAccessFile.fire(access),
      ...omitUndefined({ review: this.review }),
    };
    await this.#queue.run(resolve(params.path), () => writeTextFile(params, context));
    return {};
  }

  /**
   * A change that leaves the buffer dirty and is not ours is the user's; a reload from disk leaves it clean. The dirty state follows the
   * first change, in an event without changes.
   */
  #handleChange({ document }: vscode.TextDocumentChangeEvent): void {
    if (!document.isDirty || document.uri.scheme !== 'file') return;
    const path = document.uri.fsPath;
    if (!this.#ownEdits.has(path)) this.#lastSeen.markEdited(path);
  }
}

/** Lenient: an invalid `line` or `limit` counts as undefined. */
function parseRead(params: unknown): ReadParams {
  const object = requireObject(params);
  return {
    sessionId: requireString(object, 'sessionId'),
    path: requireString(object, 'path'),
    ...omitUndefined({ line: readCount(object, 'line'), limit: readCount(object, 'limit') }),
  };
}

function parseWrite(params: unknown): WriteParams {
  const object = requireObject(params);
  return {
    sessionId: requireString(object, 'sessionId'),
    path: requireString(object, 'path'),
    // Half of a pair could be neither saved nor compared with the file.
    content: toWellFormed(requireString(object, 'content')),
  };
}

function readCount(object: JsonObject, field: string): number | undefined {
  const value = asNumber(object[field]);
  return value === undefined ? undefined : Math.max(0, Math.floor(value));
}
