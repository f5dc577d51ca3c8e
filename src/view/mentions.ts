import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { delay } from '../base/async';
import { isCanceled, messageOf } from '../base/errors';
import type { Log } from '../base/log';
import type { Attachment, Mention } from '../shared/attachments';
import { changedCount } from './gitChanges';
import type { IndexedPath } from './pathMatch';
import { indexPath, normalQuery, searchPaths } from './pathMatch';
import { linesLabel, selectedLines } from './selectedLines';
import type { WorkspacePaths } from './workspacePaths';

/** An earlier session as it is offered. */
export interface MentionedSession {
  readonly id: string;
  readonly title: string;
}

export interface MentionsOptions {
  readonly paths: WorkspacePaths;
  /** Newest first, without the one that is shown. */
  sessions(): readonly MentionedSession[];
  post(id: number, mentions: readonly Mention[]): void;
  readonly log: Log;
}

const MAX_PATHS = 30;
const MAX_SYMBOLS = 10;
const MAX_SESSIONS = 5;
/** Milliseconds without another key before language servers are asked. */
const SYMBOL_PAUSE = 150;
const SHORTEST_SYMBOL = 2;

/** Finds what goes with the words after an `@`, from every source; what is slow comes after what is not. */
export class Mentions {
  readonly #options: MentionsOptions;
  #asked: AbortController | undefined;

  constructor(options: MentionsOptions) {
    this.#options = options;
  }

  /** Answers a query by one post or two. The last query counts: an earlier one is not answered any more. */
  async find(id: number, query: string): Promise<void> {
    this.#asked?.abort();
    const asked = new AbortController();
    this.#asked = asked;
    const options = this.#options;
    const near = [...contextMentions(query), ...editorMentions(query)];
    const sessions = this.#sessions(query);
    const index = await options.paths.index();
    if (asked.signal.aborted) return;
    const seen = new Set(near.map(({ gives }) => addressOf(gives)));
    const files = index.search(query, MAX_PATHS).filter(({ uri }) => !seen.has(uri));
    const found = [...near, ...files.map((path) => pathMention(path, 'Files and folders')), ...sessions];
    options.post(id, found);
    if (query.length < SHORTEST_SYMBOL) return;
    try {
      await delay(SYMBOL_PAUSE, asked.signal);
      const symbols = await symbolMentions(query);
      if (!asked.signal.aborted && symbols.length > 0) options.post(id, [...found, ...symbols]);
    } catch (error) {
      if (!isCanceled(error)) options.log.warn('view', `No symbols for "@": ${messageOf(error)}`);
    }
  }

  #sessions(query: string): Mention[] {
    const matching = this.#options.sessions().filter(({ title }) => goesWith(title, query));
    return matching.slice(0, MAX_SESSIONS).map(({ id, title }) => ({
      label: title,
      group: 'Sessions',
      gives: { kind: 'session', id, label: title },
    }));
  }
}

function addressOf(gives: Mention['gives']): string | undefined {
  return typeof gives === 'object' && gives.kind === 'file' ? gives.uri : undefined;
}

/** All words of one letter after the other. */
function goesWith(text: string, query: string): boolean {
  return searchPaths([indexPath('', text, false)], normalQuery(query), 1).all.length > 0;
}

/** What is there without a search: the selection, problems, changes, the terminal. */
function contextMentions(query: string): Mention[] {
  const group = 'Context';
  const all: Mention[] = [];
  const editor = vscode.window.activeTextEditor;
  if (editor && !editor.selection.isEmpty && vscode.workspace.getWorkspaceFolder(editor.document.uri)) {
    const gives = selectedLines(editor);
    all.push({ label: 'Selection', detail: gives.label, group, gives });
  }
  const problems = vscode.languages.getDiagnostics().reduce((sum, [, { length }]) => sum + length, 0);
  if (problems > 0) {
    all.push({ label: 'Problems', detail: `${problems}`, group, gives: { kind: 'problems', label: 'Problems' } });
  }
  const changed = changedCount();
  if (changed > 0) {
    const gives: Attachment = { kind: 'changes', label: 'Git changes' };
    all.push({ label: 'Git changes', detail: changed === 1 ? '1 file' : `${changed} files`, group, gives });
  }
  if (vscode.window.activeTerminal) {
    const detail = vscode.window.activeTerminal.name;
    all.push({ label: 'Terminal selection', detail, group, gives: 'terminal' });
  }
  all.push({ label: 'Files…', detail: 'Choose files, images or sounds', group, gives: 'files' });
  return all.filter(({ label }) => goesWith(label, query));
}

/** Documents that are open in tabs, of the workspace. */
function editorMentions(query: string): Mention[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const paths = tabs.flatMap(({ input }) => {
    if (!(input instanceof vscode.TabInputText) || !vscode.workspace.getWorkspaceFolder(input.uri)) return [];
    return [indexPath(input.uri.toString(), vscode.workspace.asRelativePath(input.uri), false)];
  });
  const unique = [...new Map(paths.map((path) => [path.uri, path])).values()];
  return searchPaths(unique, normalQuery(query), MAX_PATHS).best.map((path) => pathMention(path, 'Open editors'));
}

function pathMention({ uri, label, isFolder }: IndexedPath, group: string): Mention {
  const folder = dirname(label);
  const gives: Attachment = { kind: isFolder ? 'folder' : 'file', uri, label };
  return {
    label: isFolder ? `${basename(label)}/` : basename(label),
    ...(folder !== '.' && { detail: folder }),
    group,
    gives,
  };
}

async function symbolMentions(query: string): Promise<Mention[]> {
  const found = await vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  const inside = (found ?? []).filter(({ location }) => vscode.workspace.getWorkspaceFolder(location.uri));
  return inside.slice(0, MAX_SYMBOLS).map(({ name, location }) => {
    const lines = { first: location.range.start.line + 1, last: location.range.end.line + 1 };
    const gives: Attachment = { kind: 'lines', uri: location.uri.toString(), label: name, lines };
    return { label: name, detail: linesLabel(location.uri, lines), group: 'Symbols', gives };
  });
}
