import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { findOpenDocument } from '../../workbench/textDocuments';
import { readWorkspaceFile } from '../../workbench/workspaceFiles';
import type { ChangeReview } from '../changeReview';
import { BASE_SCHEME } from './baselineFileSystem';
import { normalizedLines } from './hunkNavigation';

const DELETED = 'deleted';
const OF_SESSION = 'session=';

/** Bytes. */
const MAX_SHOWN = 64 * 1024 * 1024;

/**
 * @param path absolute; its extension decides language and editor
 * @param session whose changes the baseline lacks, instead of those of all
 */
export function baseUri(path: string, session?: string): vscode.Uri {
  const query = session === undefined ? '' : `${OF_SESSION}${session}`;
  return vscode.Uri.file(path).with({ scheme: BASE_SCHEME, query });
}

/** The URI of an empty file, for the missing side of a created or deleted file. */
export function noUri(path: string): vscode.Uri {
  return baseUri(path).with({ query: DELETED });
}

/** The path of a file or its baseline; undefined for other URIs. */
export function reviewedPath(uri: vscode.Uri): string | undefined {
  if (uri.scheme === 'file') return uri.fsPath;
  return uri.scheme === BASE_SCHEME ? uri.with({ scheme: 'file', query: '' }).fsPath : undefined;
}

/** A baseline; `none` for a created file; `disk` for a file without changes to review. */
type Source = Uint8Array | 'none' | 'disk';

/** Contents of the files that `baselineFileSystem.ts` registers. */
export class BaselineFiles implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<readonly vscode.Uri[]>());
  /** What was given to VS Code. */
  readonly #given = new Map<string, { readonly uri: vscode.Uri; readonly source: Source }>();
  /** Baselines are large and rarely change. */
  readonly #lines = new WeakMap<Uint8Array, Promise<readonly string[]>>();

  /** Fires the URIs whose content has changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(private readonly review: ChangeReview) {
    this.#store.add(review.onDidChange(() => this.#refresh()));
  }

  /** The decoded lines of a baseline; empty when the file did not exist, or is not reviewed. */
  async lines(path: string): Promise<readonly string[]> {
    const bytes = this.review.baseBytes(path);
    if (!bytes) return [];
    const cached = this.#lines.get(bytes) ?? decodeBase(path, bytes).then(normalizedLines, () => []);
    this.#lines.set(bytes, cached);
    return cached;
  }

  async read(uri: vscode.Uri): Promise<Uint8Array> {
    if (uri.query === DELETED) return new Uint8Array();
    const path = reviewedPath(uri) ?? '';
    const source = this.#sourceOf(uri);
    this.#given.set(uri.toString(), { uri, source });
    if (source === 'none') return new Uint8Array();
    const bytes = source === 'disk' ? await readCurrent(path) : source;
    const isText = source === 'disk' ? findOpenDocument(path) !== undefined : this.review.file(path)?.binary === false;
    return isText ? new TextEncoder().encode(await decodeBase(path, bytes)) : bytes;
  }

  /** A diff editor may stay open when the review of its file is done: both sides are then the same. */
  #sourceOf(uri: vscode.Uri): Source {
    const path = reviewedPath(uri) ?? '';
    const session = uri.query.startsWith(OF_SESSION) ? uri.query.slice(OF_SESSION.length) : undefined;
    return this.review.baseBytes(path, session) ?? (this.review.file(path) ? 'none' : 'disk');
  }

  dispose(): void {
    this.#store.dispose();
  }

  #refresh(): void {
    const changed = [...this.#given.values()].filter(({ uri, source }) => this.#sourceOf(uri) !== source);
    if (changed.length > 0) this.#onDidChange.fire(changed.map(({ uri }) => uri));
  }
}

/** Empty if there is no such file. */
async function readCurrent(path: string): Promise<Uint8Array> {
  try {
    return await readWorkspaceFile(vscode.Uri.file(path), MAX_SHOWN);
  } catch {
    return new Uint8Array();
  }
}

/** Decodes a baseline with the encoding of its file, as opened or as VS Code would open it. */
export async function decodeBase(path: string, bytes: Uint8Array): Promise<string> {
  const open = findOpenDocument(path);
  if (open) return vscode.workspace.decode(bytes, { encoding: open.encoding });
  return vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path) });
}
