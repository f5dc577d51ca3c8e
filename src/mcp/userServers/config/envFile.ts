import { parseEnv } from 'node:util';
import { errorMessage } from '../../../base/errors';
import { t } from '../../../base/l10n';
import type { ServerDefinition } from './serverDefinition';

/**
 * The definition with the variables of its `envFile`, which then are part of it: those of a workspace are shown before the server starts,
 * and a change is asked about again. Undefined if the file cannot be read.
 */
export async function withEnvFile(
  definition: ServerDefinition,
  read: (path: string) => Promise<string>,
  report: (message: string) => void,
): Promise<ServerDefinition | undefined> {
  const { envFile, start, written } = definition;
  if (envFile === undefined || start.type !== 'stdio') return definition;
  try {
    const variables = parseEnv(await read(envFile)) as Readonly<Record<string, string>>;
    return {
      ...definition,
      start: { ...start, env: { ...variables, ...start.env } },
      written: { ...variables, ...written },
    };
  } catch (error) {
    report(t('the file could not be read: {0}', errorMessage(error)));
    return undefined;
  }
}
