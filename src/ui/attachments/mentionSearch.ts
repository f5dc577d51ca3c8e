import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { delay } from '../../base/async';
import { isCancellation, errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { firstLine } from '../../base/text';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { ServerContent } from '../../session/serverContent';
import type { Session } from '../../session/session';
import type { Attachment, Mention } from '../../shared/state/attachments';
import { visibleEditor } from '../../workbench/activeEditor';
import { isInWorkspace, realUri } from '../../workbench/workspaceFiles';
import { countChanged } from './gitChanges';
import { joinGroups } from './joinMentionGroups';
import type { IndexedPath } from './pathSearch';
import { beginsWord, indexPath, normalQuery, searchPaths } from './pathSearch';
import { linesLabel, selectedLines } from './selectionAttachment';
import type { ShellCommand } from './shellCommands';
import { templateKey } from './templateKey';
import type { WorkspaceFileIndex } from './workspaceFileIndex';

interface MentionedSession {
  readonly id: string;
  readonly title: string;
}

const MAX_PATHS = 30;

/** Number of the best matches that are sorted by folder: those in the session's folder come first. */
const MAX_SEARCHED = 120;

const MAX_SYMBOLS = 10;

const MAX_SESSIONS = 5;

const MAX_RESOURCES = 30;

/** Commands of terminals. */
const MAX_COMMANDS = 20;

/** Milliseconds without typing before language servers are queried. */
const SYMBOL_DEBOUNCE_MS = 150;

const MIN_SYMBOL_CHARS = 2;

interface MentionQuery {
  readonly query: string;
  /** The current session, which is excluded; files of its folder come first. */
  readonly session: Session;
  readonly post: (mentions: readonly Mention[]) => void;
}

/** Searches all sources for the text after `@`; slow sources post their results later. */
export class Mentions {
  #abort: AbortController | undefined;

  /**
   * @param earlier sessions, newest first
   * @param commands of terminals, newest first
   */
  constructor(
    private readonly paths: WorkspaceFileIndex,
    private readonly content: ServerContent,
    private readonly earlier: () => readonly MentionedSession[],
    private readonly commands: () => readonly ShellCommand[],
    private readonly log: Logger,
  ) {}

  /** Posts one or two results. A newer query cancels earlier ones. */
  async find({ query, session, post }: MentionQuery): Promise<void> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    const [context, editors] = [contextMentions(query, this.commands()), editorMentions(query)];
    const sessions = this.#sessions(query, session.id);
    const listed = this.content.list(session);
    const index = await this.paths.index();
    if (abort.signal.aborted) return;
    const seen = new Set(editors.map(({ gives }) => uriOf(gives)));
    const paths = inFolderFirst(index.search(query, MAX_SEARCHED), session.cwd).filter(({ uri }) => !seen.has(uri));
    const files = paths.map((path) => pathMention(path, t('Files and folders')));
    let symbols: readonly Mention[] = [];
    const postAll = (): void => {
      const resources = this.#resources(query, session);
      post([...joinGroups([context, editors, files, resources, sessions], query), ...symbols]);
    };
    postAll();
    const count = this.content.resources(session).length;
    // Servers that were not listed yet may take seconds to start.
    const postListed = async (): Promise<void> => {
      await listed;
      if (!abort.signal.aborted && this.content.resources(session).length !== count) postAll();
    };
    void postListed();
    if (query.length < MIN_SYMBOL_CHARS) return;
    try {
      await delay(SYMBOL_DEBOUNCE_MS, abort.signal);
      symbols = await symbolMentions(query);
      if (!abort.signal.aborted && symbols.length > 0) postAll();
    } catch (error) {
      if (!isCancellation(error)) this.log.warn('ui', `Failed to search symbols for "@": ${errorMessage(error)}`);
    }
  }

  #resources(query: string, session: Session): Mention[] {
    const all = this.content.resources(session).filter(({ title, uri }) => matchesQuery(`${title} ${uri}`, query));
    return all.slice(0, MAX_RESOURCES).map((resource) => {
      const { server, uri, title, arguments: variables } = resource;
      const gives: Mention['gives'] =
        variables.length > 0 ? `template ${templateKey(resource)}` : { kind: 'resource', server, uri, label: title };
      return { label: title, detail: `${server} · ${uri}`, group: t('MCP resources'), gives };
    });
  }

  #sessions(query: string, without: string): Mention[] {
    const matching = this.earlier().filter(({ id, title }) => id !== without && beginsWord(title, query));
    return matching.slice(0, MAX_SESSIONS).map(({ id, title }) => ({
      label: title,
      group: t('Sessions'),
      gives: { kind: 'session', id, label: title },
    }));
  }
}

/** The best matches, those in the folder before the others. */
function inFolderFirst(paths: readonly IndexedPath[], folder: string): readonly IndexedPath[] {
  const start = `${vscode.Uri.file(folder).toString()}/`;
  const isInside = ({ uri }: IndexedPath): boolean => uri.startsWith(start);
  return [...paths.filter(isInside), ...paths.filter((path) => !isInside(path))].slice(0, MAX_PATHS);
}

function uriOf(gives: Mention['gives']): string | undefined {
  return typeof gives === 'object' && gives.kind === 'file' ? gives.uri : undefined;
}

/** Whether the text contains the query's letters in order. */
function matchesQuery(text: string, query: string): boolean {
  return searchPaths([indexPath('', text, false)], normalQuery(query), 1).possible.length > 0;
}

/** Mentions without a search: selection, problems, changes, terminal. */
function contextMentions(query: string, commands: readonly ShellCommand[]): Mention[] {
  const group = t('Context');
  const all: Mention[] = [];
  const editor = visibleEditor();
  if (editor && !editor.selection.isEmpty && isInWorkspace(editor.document.uri)) {
    const gives = selectedLines(editor);
    all.push({ label: t('Selection'), detail: gives.label, group, gives });
  }
  const problems = vscode.languages.getDiagnostics().reduce((sum, [, { length }]) => sum + length, 0);
  all.push({ label: t('Problems'), detail: `${problems}`, group, gives: { kind: 'problems', label: t('Problems') } });
  const changed = countChanged();
  if (changed > 0) {
    const gives: Attachment = { kind: 'changes', label: t('Git changes') };
    all.push({ label: t('Git changes'), detail: changed === 1 ? t('1 file') : t('{0} files', changed), group, gives });
  }
  if (vscode.window.activeTerminal) {
    const detail = vscode.window.activeTerminal.name;
    all.push({ label: t('Terminal selection'), detail, group, gives: 'terminal' });
  }
  all.push({ label: t('Files…'), detail: t('Select files, images, or audio'), group, gives: 'files' });
  const found = all.filter(({ label }) => matchesQuery(label, query));
  const after = found.findIndex(({ gives }) => gives === 'terminal') + 1;
  return found.toSpliced(after, 0, ...commandMentions(query, commands, group));
}

/** All for `@terminal`, the last one for `@`. */
function commandMentions(query: string, commands: readonly ShellCommand[], group: string): Mention[] {
  const isAll = t('Terminal selection').toLowerCase().startsWith(query.toLowerCase());
  const found = isAll ? commands : commands.filter(({ line }) => beginsWord(line, query));
  return found.slice(0, query === '' ? 1 : MAX_COMMANDS).map(({ id, line, detail }) => {
    return { label: escapeInvisibleInline(firstLine(line)), detail, group, gives: `command ${id}` };
  });
}

/** Workspace documents that are open in tabs. */
function editorMentions(query: string): Mention[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const paths = tabs.flatMap(({ input }) => {
    if (!(input instanceof vscode.TabInputText) || !vscode.workspace.getWorkspaceFolder(input.uri)) return [];
    return [indexPath(input.uri.toString(), vscode.workspace.asRelativePath(input.uri), false)];
  });
  const unique = [...new Map(paths.map((path) => [path.uri, path])).values()];
  return searchPaths(unique, normalQuery(query), MAX_PATHS).best.map((path) => pathMention(path, t('Open editors')));
}

function pathMention({ uri, label, isFolder }: IndexedPath, group: string): Mention {
  const folder = dirname(label);
  const target = linkTarget(vscode.Uri.parse(uri));
  const detail = target ?? (folder === '.' ? undefined : folder);
  const gives: Attachment = { kind: isFolder ? 'folder' : 'file', uri, label };
  return {
    label: isFolder ? `${basename(label)}/` : basename(label),
    ...(detail !== undefined && { detail }),
    group,
    gives,
  };
}

/** Where a link of the workspace leads, if out of it. */
function linkTarget(uri: vscode.Uri): string | undefined {
  return isInWorkspace(uri) ? undefined : t('link to {0}', escapeInvisibleInline(realUri(uri).fsPath));
}

async function symbolMentions(query: string): Promise<Mention[]> {
  const found = await vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  const inside = (found ?? []).filter(({ location }) => isInWorkspace(location.uri));
  return inside.slice(0, MAX_SYMBOLS).map(({ name, location }) => {
    const lines = { first: location.range.start.line + 1, last: location.range.end.line + 1 };
    const gives: Attachment = { kind: 'lines', uri: location.uri.toString(), label: name, lines };
    return { label: name, detail: linesLabel(location.uri, lines), group: t('Symbols'), gives };
  });
}
