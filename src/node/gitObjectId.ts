import { t } from '../base/l10n';
import { SchemaError } from '../base/schema';
import type { Schema } from '../base/schema';

/** Complete ids of SHA-1 and SHA-256. */
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The id of a git object in a stored file: git would read another text as an option, such as `--output=<file>`. */
export const gitObjectId: Schema<string> = (value, path) => {
  if (typeof value === 'string' && OBJECT_ID.test(value)) return value;
  throw new SchemaError(path, t('the id of a Git object'), value);
};
