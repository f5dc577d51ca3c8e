import { asArray, asObject, asString, isObject, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import { firstLine, truncate } from '../../base/text';
import type { BinaryDistribution, Distribution, PackageDistribution, RegistryAgent } from './registryAgent';

/** The agents of an index that could be read, and why others could not. */
interface ParsedIndex {
  readonly agents: readonly RegistryAgent[];
  readonly problems: readonly string[];
}

const ID = /^[a-z][a-z0-9-]{0,63}$/;
/** A version is the name of a folder, too: no separators, no leading dot. */
const VERSION = /^[0-9A-Za-z](?:[0-9A-Za-z.+_-]{0,63})$/;
/** Package names with an optional version. URLs, git references and folders cannot be pinned. */
const NPM_SPEC = /^(?:@[\w.~-]+\/)?[A-Za-z0-9_~][\w.~-]*(?:@[\w.^~+-]+)?$/;
const PYPI_SPEC = /^[A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?(?:(?:@|==)\d[\w.+!-]*)?$/;
const PROGRAM = /^[A-Za-z0-9_][\w.-]*$/;
const PLATFORM = /^(?:darwin|linux|windows)-(?:aarch64|x86_64)$/;
const MAX_AGENTS = 2_000;

/**
 * Parses an index of the ACP Registry (https://github.com/agentclientprotocol/registry). Ignores unknown fields and `preview`; skips
 * unusable entries and lists them.
 * @throws Error when the value is not an index
 */
export function parseIndex(value: unknown): ParsedIndex {
  const entries = asObject(value)?.['agents'];
  if (!Array.isArray(entries)) throw new Error(t('the list "agents" is missing'));
  const problems: string[] = [];
  const agents = new Map<string, RegistryAgent>();
  for (const [index, entry] of entries.slice(0, MAX_AGENTS).entries()) {
    try {
      const agent = parseAgent(entry);
      if (agents.has(agent.id)) throw new Error(t('its ID is used more than once'));
      agents.set(agent.id, agent);
    } catch (error) {
      const name = asString(asObject(entry)?.['id']) ?? t('number {0}', index + 1);
      problems.push(t('agent {0}: {1}', truncate(firstLine(name), 80), (error as Error).message));
    }
  }
  if (entries.length > MAX_AGENTS) problems.push(t('only the first {0} agents were read', MAX_AGENTS));
  return { agents: [...agents.values()], problems };
}

/** @throws Error that describes the problem of the entry */
export function parseAgent(entry: unknown): RegistryAgent {
  if (!isObject(entry)) throw new Error(t('it is not an object'));
  const id = matching(entry, 'id', ID);
  const version = matching(entry, 'version', VERSION);
  const distribution = asObject(entry['distribution']);
  if (!distribution) throw new Error(t('"distribution" is missing'));
  const website = asString(entry['website']) ?? asString(entry['repository']);
  return {
    id,
    version,
    name: toLine(entry['name'], 80) || id,
    description: toLine(entry['description'], 500),
    license: toLine(entry['license'], 80),
    distribution: parseDistribution(distribution, version),
    ...omitUndefined({ website: website?.startsWith('https://') ? website : undefined }),
  };
}

function parseDistribution(value: JsonObject, version: string): Distribution {
  const failures: string[] = [];
  const attempt = <T>(name: string, read: () => T): T | undefined => {
    if (value[name] === undefined || value[name] === null) return undefined;
    try {
      return read();
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
      return undefined;
    }
  };
  const npx = attempt('npx', () => parsePackage(value['npx'], NPM_SPEC, (spec) => pinNpm(spec, version)));
  const uvx = attempt('uvx', () => parsePackage(value['uvx'], PYPI_SPEC, (spec, cmd) => pinPyPi(spec, version, cmd)));
  const binary = attempt('binary', () => parseBinaries(value['binary'], failures)) ?? {};
  // A known kind that is invalid makes the entry unusable; unknown kinds are handled when a distribution is selected.
  if (failures.length > 0 && !npx && !uvx && Object.keys(binary).length === 0) throw new Error(failures.join('; '));
  return { binary, ...omitUndefined({ npx, uvx }) };
}

function parsePackage(
  value: unknown,
  pattern: RegExp,
  pin: (spec: string, cmd: string | undefined) => string,
): PackageDistribution {
  if (!isObject(value)) throw new Error(t('it is not an object'));
  const spec = matching(value, 'package', pattern);
  const cmd = value['cmd'] === undefined ? undefined : matching(value, 'cmd', PROGRAM);
  return {
    spec: pin(spec, cmd),
    args: readStrings(value['args']),
    env: readVariables(value['env']),
    ...omitUndefined({ cmd }),
  };
}

/** Keeps only exact versions: a tag or a range may resolve differently tomorrow. */
function pinNpm(spec: string, version: string): string {
  const at = spec.lastIndexOf('@');
  if (at <= 0) return `${spec}@${version}`;
  return /^\d+\.\d+\.\d+[\w.+-]*$/.test(spec.slice(at + 1)) ? spec : `${spec.slice(0, at)}@${version}`;
}

/** `uvx name@1.0`, but `uvx --from name==1.0 cmd`. */
function pinPyPi(spec: string, version: string, cmd: string | undefined): string {
  if (/@|==/.test(spec)) return spec;
  return `${spec}${cmd === undefined ? '@' : '=='}${version}`;
}

function parseBinaries(value: unknown, failures: string[]): Record<string, BinaryDistribution> {
  if (!isObject(value)) throw new Error(t('it is not an object'));
  const found: Record<string, BinaryDistribution> = {};
  for (const [platform, target] of Object.entries(value)) {
    if (!PLATFORM.test(platform)) continue;
    try {
      found[platform] = parseBinary(target);
    } catch (error) {
      failures.push(t('binary for {0}: {1}', platform, (error as Error).message));
    }
  }
  return found;
}

function parseBinary(value: unknown): BinaryDistribution {
  if (!isObject(value)) throw new Error(t('it is not an object'));
  const archive = asString(value['archive']) ?? '';
  if (!URL.canParse(archive)) throw new Error(t('"archive" is not a URL'));
  const cmd = asString(value['cmd']) ?? '';
  if (cmd.trim() === '') throw new Error(t('"cmd" is missing'));
  const sha256 = asString(value['sha256'])?.toLowerCase();
  if (value['sha256'] !== undefined && value['sha256'] !== null && !/^[0-9a-f]{64}$/.test(sha256 ?? ''))
    throw new Error(t('"sha256" is not 64 hexadecimal digits'));
  return {
    archive,
    cmd,
    args: readStrings(value['args']),
    env: readVariables(value['env']),
    ...omitUndefined({ sha256 }),
  };
}

function matching(value: JsonObject, field: string, pattern: RegExp): string {
  const text = value[field];
  if (text === undefined) throw new Error(t('"{0}" is missing', field));
  if (typeof text !== 'string' || !pattern.test(text))
    throw new Error(t('"{0}" has an invalid value: {1}', field, truncate(JSON.stringify(text) ?? 'nothing', 100)));
  return text;
}

function readStrings(value: unknown): readonly string[] {
  if (value !== undefined && value !== null && !Array.isArray(value)) throw new Error(t('"args" is not a list'));
  return asArray(value).map((item) => {
    if (typeof item !== 'string' || item.includes('\0')) throw new Error(t('"args" is not a list of strings'));
    return item;
  });
}

function readVariables(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new Error(t('"env" is not an object'));
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string' || text.includes('\0') || name === '' || /[=\0]/.test(name))
      throw new Error(t('"env" is not an object of strings'));
  }
  return { ...value } as Record<string, string>;
}

function toLine(value: unknown, max: number): string {
  return truncate((asString(value) ?? '').replaceAll(/\s+/g, ' ').trim(), max);
}
