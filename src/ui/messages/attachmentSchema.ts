import { t } from '../../base/l10n';
import type { Schema } from '../../base/schema';
import { enumOf, integer, list, object, SchemaError, string, union } from '../../base/schema';
import type { Attachment, AttachmentKind, AttachmentSource, LineRange } from '../../shared/state/attachments';
import { MAX_ATTACHMENTS } from '../../shared/state/attachments';

type OfKind<K extends AttachmentKind> = Extract<Attachment, { readonly kind: K }>;

export const nonEmptyString: Schema<string> = (value, path) => {
  if (typeof value === 'string' && value !== '') return value;
  throw new SchemaError(path, t('a non-empty string'), value);
};

export const attachmentSource: Schema<AttachmentSource> = (value, path) => {
  if (typeof value === 'string' && /^(?:template |command \d{1,9}$)/.test(value)) return value as AttachmentSource;
  return enumOf('files', 'terminal')(value, path);
};

export const lineNumber = integer(1, Number.MAX_SAFE_INTEGER);

const lineRange: Schema<LineRange> = (value, path) => {
  const range = object<LineRange>({ first: lineNumber, last: lineNumber })(value, path);
  if (range.last < range.first) throw new SchemaError(path, t('a last line at or after the first line'), value);
  return range;
};

const base64: Schema<string> = (value, path) => {
  if (typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value)) return value;
  throw new SchemaError(path, 'base64', value);
};

const fileOrFolder = object<OfKind<'file' | 'folder'>>({
  kind: enumOf('file', 'folder'),
  uri: nonEmptyString,
  label: string,
});
const problemsOrChanges = object<OfKind<'problems' | 'changes'>>({
  kind: enumOf('problems', 'changes'),
  label: string,
});

const schemas: { readonly [K in AttachmentKind]: Schema<Attachment> } = {
  file: fileOrFolder,
  folder: fileOrFolder,
  active: object<OfKind<'active'>>({ kind: enumOf('active'), uri: nonEmptyString, label: string }),
  lines: object<OfKind<'lines'>>({ kind: enumOf('lines'), uri: nonEmptyString, label: string, lines: lineRange }),
  problems: problemsOrChanges,
  changes: problemsOrChanges,
  session: object<OfKind<'session'>>({ kind: enumOf('session'), id: nonEmptyString, label: string }),
  resource: object<OfKind<'resource'>>({
    kind: enumOf('resource'),
    server: nonEmptyString,
    uri: nonEmptyString,
    label: string,
  }),
  text: object<OfKind<'text'>>({ kind: enumOf('text'), label: string, text: string }),
  data: object<OfKind<'data'>>({ kind: enumOf('data'), label: string, mimeType: nonEmptyString, data: base64 }),
};

/** Attachments, up to their maximum number. */
export const attachments: Schema<readonly Attachment[]> = list(union('kind', schemas), MAX_ATTACHMENTS);
