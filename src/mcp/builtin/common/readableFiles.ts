import { parse } from 'node:path';
import type * as vscode from 'vscode';
import type { AuthorizationRequest, SessionHandle } from '../../../session/sessionHandle';
import type { ToolContext } from '../../../session/toolServer';
import { isInWorkspace } from '../../../workbench/workspaceFiles';
import { localFolders } from '../../../workbench/workspaceFolders';
import { ToolError } from '../../contract/toolServerTypes';
import type { OpenedDocument } from './workspaceFile';
import { labelOf, openDocument, resolveWorkspaceFile } from './workspaceFile';

/**
 * What a result contains of a file: its `text` (also lines, values, messages, selections), or only `names` of symbols and their places,
 * which language servers also have of libraries outside the workspace.
 */
type Part = 'text' | 'names';

/** Files that a result names as left out. */
const MAX_NAMED = 10;

/**
 * The one place that decides what a tool gives out of files: the rules of `fs/read_text_file`, for each file of one result. Files that the
 * agent named are asked about; those that a tool found by itself are left out, and the result says so.
 */
export class ReadableFiles {
  readonly #found = new Map<string, Promise<boolean>>();
  readonly #refused = new Map<string, string>();

  constructor(private readonly session: SessionHandle) {}

  /** Whether the result may contain this of a file that the tool found. */
  has(uri: vscode.Uri, part: Part = 'text'): Promise<boolean> {
    const key = `${part} ${uri.toString()}`;
    const known = this.#found.get(key) ?? this.#judge(uri, part);
    this.#found.set(key, known);
    return known;
  }

  /**
   * Asks, where the rules for reading say so, about files that the agent named.
   * @returns those that may be read; the others are left out
   * @throws ToolError for a single file that may not be read
   */
  async request(uris: readonly vscode.Uri[], context: ToolContext): Promise<vscode.Uri[]> {
    const allowed: vscode.Uri[] = [];
    for (const uri of uris) {
      const refused = await this.#ask(uri, context);
      if (refused === undefined) allowed.push(uri);
      else if (uris.length === 1) throw refusal(uri, refused);
      else this.#refused.set(labelOf(uri), refused);
      this.#found.set(`text ${uri.toString()}`, Promise.resolve(refused === undefined));
    }
    return allowed;
  }

  /**
   * The first items whose files may be given out.
   * @param limit the files of later items are not looked at
   */
  async filter<T>(
    items: readonly T[],
    uriOf: (item: T) => vscode.Uri,
    { part = 'text', limit = Infinity }: { readonly part?: Part; readonly limit?: number } = {},
  ): Promise<T[]> {
    const kept: T[] = [];
    for (const item of items) {
      if (kept.length >= limit) break;
      if (await this.has(uriOf(item), part)) kept.push(item);
    }
    return kept;
  }

  /** A line that names the files left out, with the reason; empty without any. */
  get note(): string {
    const all = Array.from(this.#refused, ([label, reason]) => `${label} (${reason})`);
    const more = all.length > MAX_NAMED ? `, and ${all.length - MAX_NAMED} more` : '';
    return all.length === 0 ? '' : `\nLeft out: ${all.slice(0, MAX_NAMED).join(', ')}${more}.`;
  }

  /** The reason when it may not be read. */
  async #ask(uri: vscode.Uri, { signal, waitForUser }: ToolContext): Promise<string | undefined> {
    const request = readRequest(this.session, uri, 'text');
    const { allowed, reason } = await waitForUser(this.session.userRequests.authorize(request, signal));
    return allowed ? undefined : reason;
  }

  async #judge(uri: vscode.Uri, part: Part): Promise<boolean> {
    const { decision, reason, by } = await this.session.userRequests.judge(readRequest(this.session, uri, part));
    if (decision === 'allow') return true;
    const why = decision === 'deny' && by === 'rule' ? 'a rule denies reading it' : reason;
    this.#refused.set(labelOf(uri), why);
    return false;
  }
}

/**
 * Asks, where the rules for reading say so, about a file that the agent named.
 * @throws ToolError when it may not be read
 */
export async function requireReadable(uri: vscode.Uri, context: ToolContext): Promise<void> {
  await new ReadableFiles(context.session).request([uri], context);
}

function refusal(uri: vscode.Uri, reason: string): ToolError {
  return new ToolError(`${labelOf(uri)} was not read: ${reason}.`, 'Go on without it, or ask the user.');
}

/**
 * Opens a file that the agent named, of which the result tells something.
 * @throws ToolError when it may not be read, or cannot be opened
 */
export async function openToRead(path: string, context: ToolContext): Promise<OpenedDocument> {
  const file = resolveWorkspaceFile(path, context.session);
  await requireReadable(file.uri, context);
  return openDocument(file);
}

/** Tools work on the window's folders, also for a session in a git worktree. */
function readRequest({ folders }: SessionHandle, uri: vscode.Uri, part: Part): AuthorizationRequest {
  const path = uri.fsPath;
  const isPlaceOnly = part === 'names' || (uri.scheme !== 'file' && !isInWorkspace(uri));
  const around = isPlaceOnly ? [parse(path).root] : [];
  return {
    kind: 'read',
    title: `Read ${labelOf(uri)}`,
    otherwise: 'allow',
    paths: [path],
    folders: [...new Set([...folders, ...localFolders(), ...around])],
  };
}
