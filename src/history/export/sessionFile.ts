import { ParleyError, errorMessage } from '../../base/errors';
import { asNumber, isObject, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';
import type { Redactor } from '../../base/redactor';
import { list, object, optional, string, enumOf, SchemaError, tryParse } from '../../base/schema';
import { entriesFrom } from '../../shared/state/entryPages';
import type { ImportedSession } from '../../shared/state/importedSession';
import type { NamedPlan, PlanItem } from '../../shared/state/planState';
import type { Action } from '../../shared/state/sessionActions';
import { ENTRIES_PER_PAGE } from '../../shared/state/sessionState';
import type { AgentRef, Entry, SessionState } from '../../shared/state/sessionState';
import type { Terminal } from '../../shared/state/terminalState';
import type { Usage, TokenUsage } from '../../shared/state/usageState';
import type { DiffTexts } from '../diff/diffStore';
import { namedPlan, planItem, terminal, tokens, usage } from './entryPartSchemas';
import { entries } from './entrySchema';
import { record } from './fileSchemas';
import { asFinished, asFinishedTerminal } from './finishedEntry';

/** A session as a JSON file for backup and sharing, described in docs/sessions.md. */

const SESSION_FORMAT = 'parley-session';
const EXPORT_VERSION = 1;

interface SessionFile {
  readonly format: typeof SESSION_FORMAT;
  readonly version: number;
  /** Version of Parley that wrote it. */
  readonly parley: string;
  /** ISO 8601. */
  readonly exported: string;
  readonly title: string;
  readonly agent?: AgentRef;
  /** Absolute, on the machine of the export; an import ignores it. */
  readonly folder?: string;
  readonly entries: readonly Entry[];
  readonly terminals: Readonly<Record<string, Terminal>>;
  readonly plan: readonly PlanItem[];
  readonly plans: readonly NamedPlan[];
  readonly usage?: Usage;
  readonly tokens?: TokenUsage;
  /** The complete texts of each diff, by the `diffId` in the entries. */
  readonly diffs: Readonly<Record<string, DiffTexts>>;
}

export interface Exported {
  readonly state: SessionState;
  readonly title: string;
  readonly diff: (diffId: string) => DiffTexts | undefined;
}

/**
 * The file, with secrets redacted.
 * @param version of Parley
 * @param now milliseconds since 1970
 */
export function writeSessionFile(exported: Exported, redactor: Redactor, version: string, now: number): string {
  const { state, title, diff } = exported;
  const { agent, folder, plan, plans, terminals, usage: used, tokens: counted } = state;
  const entries = Array.from(entriesFrom(state.entries), ([, entry]) => entry);
  const ids = new Set(entries.flatMap(diffIds));
  const diffs = Array.from(ids, (id) => [id, diff(id)] as const).filter(([, texts]) => texts !== undefined);
  const file = {
    format: SESSION_FORMAT,
    version: EXPORT_VERSION,
    parley: version,
    exported: new Date(now).toISOString(),
    title,
    ...omitUndefined({ agent, folder }),
    entries: entries.map(withoutState),
    terminals,
    plan,
    plans,
    ...omitUndefined({ usage: used, tokens: counted }),
    diffs: Object.fromEntries(diffs),
  };
  return `${JSON.stringify(withoutSecrets(file, redactor), undefined, 2)}\n`;
}

/** Ids of the diffs in an entry and its child session. */
function diffIds(entry: Entry): string[] {
  if (entry.kind === 'subagent') return Array.from(entriesFrom(entry.child.entries), ([, one]) => one).flatMap(diffIds);
  if (entry.kind !== 'tool') return [];
  return entry.content.flatMap((part) => (part.type === 'diff' ? [part.diffId] : []));
}

/** Omits the connection state of a child session, and the copied call of a pending request. */
function withoutState(entry: Entry): unknown {
  if (entry.kind === 'permission') return { ...entry, about: undefined };
  if (entry.kind !== 'subagent') return entry;
  const { title, terminals, plan, plans } = entry.child;
  const entries = Array.from(entriesFrom(entry.child.entries), ([, one]) => withoutState(one));
  return { ...entry, child: { ...omitUndefined({ title }), entries, terminals, plan, plans } };
}

/** Skips Base64 of images and sounds: redaction could only damage it. */
function withoutSecrets(value: unknown, redactor: Redactor): unknown {
  const originals: string[] = [];
  const marked = mapData(value, (data) => `\u0000${originals.push(data) - 1}`);
  return mapData(redactor.value(marked), (mark) => originals[Number(mark.slice(1))] ?? '');
}

function mapData(value: unknown, map: (data: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => mapData(one, map));
  if (!isObject(value)) return value;
  const isMedia = value['type'] === 'image' || value['type'] === 'audio';
  const isBlob = value['type'] === 'resource';
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const isData = typeof field === 'string' && ((isMedia && name === 'data') || (isBlob && name === 'blob'));
      return [name, isData ? map(field) : mapData(field, map)];
    }),
  );
}

/** An imported transcript, and its summary. */
export interface Imported {
  readonly title: string;
  readonly agent?: AgentRef;
  readonly actions: readonly Action[];
  readonly diffs: ReadonlyMap<string, DiffTexts>;
}

/**
 * Parses an untrusted file.
 * @param name of the file, without its folders
 * @throws ParleyError `badInput` that names the path and what was expected there
 */
export function readSessionFile(text: string, name: string): Imported {
  const file = readShape(text);
  const exportedAt = Date.parse(file.exported);
  const session: ImportedSession = {
    mark: { file: name, ...(Number.isNaN(exportedAt) ? {} : { exportedAt }) },
    title: file.title,
    terminals: Object.fromEntries(Object.entries(file.terminals).map(([id, one]) => [id, asFinishedTerminal(one)])),
    plan: file.plan,
    plans: file.plans,
    ...omitUndefined({ agent: file.agent, usage: file.usage, tokens: file.tokens }),
  };
  const actions: Action[] = [{ type: 'sessionImported', session }];
  for (let from = 0; from < file.entries.length; from += ENTRIES_PER_PAGE) {
    const page = file.entries.slice(from, from + ENTRIES_PER_PAGE).map(asFinished);
    actions.push({ type: 'entriesImported', entries: page });
  }
  return {
    title: file.title,
    ...omitUndefined({ agent: file.agent }),
    actions,
    diffs: new Map(Object.entries(file.diffs)),
  };
}

function readShape(text: string): SessionFile {
  const result = tryParse((value, path) => shape(checkVersion(value), path), parseExport(text));
  if ('value' in result) return result.value;
  const { path, expected, found } = result.error;
  throw notExportedError(t('{0}: expected {1}, got {2}.', path === '' ? t('The file') : path, expected, found));
}

function parseExport(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw notExportedError(t('The file is not valid JSON: {0}', errorMessage(error)));
  }
}

function notExportedError(message: string): ParleyError {
  return new ParleyError('badInput', message, {
    nextStep: t('Select a .json file created by “Parley: Export Session”.'),
  });
}

/** Checks format and version before the content. */
function checkVersion(value: unknown): unknown {
  if (!isObject(value) || value['format'] !== SESSION_FORMAT)
    throw new SchemaError('format', JSON.stringify(SESSION_FORMAT), isObject(value) ? value['format'] : value);
  const version = asNumber(value['version']);
  if (version === undefined || version <= EXPORT_VERSION) return value;
  const message = t('This session was exported by a newer version of Parley (format {0}).', version);
  throw new ParleyError('badInput', message, { nextStep: t('Update Parley to open the session.') });
}

const diffTexts = object<DiffTexts>({ path: string, oldText: string, newText: string });

const shape = object<SessionFile>({
  format: enumOf(SESSION_FORMAT),
  version: (value, path) => {
    if (value === EXPORT_VERSION) return EXPORT_VERSION;
    throw new SchemaError(path, String(EXPORT_VERSION), value);
  },
  parley: string,
  exported: string,
  title: string,
  agent: optional(object<AgentRef>({ name: string, title: string, version: optional(string) })),
  folder: optional(string),
  entries,
  terminals: record(terminal),
  plan: list(planItem),
  plans: list(namedPlan),
  usage: optional(usage),
  tokens: optional(tokens),
  diffs: record(diffTexts),
});
