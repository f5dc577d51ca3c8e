import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** MCP `ToolAnnotations` and `Annotations`. */
const ANNOTATIONS: Readonly<Record<string, Check>> = {
  title: isText,
  readOnlyHint: isFlag,
  destructiveHint: isFlag,
  idempotentHint: isFlag,
  openWorldHint: isFlag,
  audience: isListOf((value) => value === 'user' || value === 'assistant'),
  priority: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  lastModified: isText,
};

const isArgument: Check = (value) =>
  isObject(value) &&
  isText(value['name']) &&
  [value['title'], value['description']].every((text) => text === undefined || isText(text)) &&
  (value['required'] === undefined || isFlag(value['required']));

/** What MCP lets a definition have beside its name, its schemas and what identifies it. */
const METADATA: Readonly<Record<string, Check>> = {
  title: isText,
  description: isText,
  mimeType: isText,
  size: (value) => typeof value === 'number' && value >= 0,
  icons: isListOf((icon) => isObject(icon) && isText(icon['src'])),
  annotations: isObject,
  arguments: isListOf(isArgument),
  _meta: isObject,
};

/** The fields that agents get unchanged. Clients refuse a whole list for one field of a wrong type, so such fields are left out. */
export function metadataOf(definition: JsonObject): JsonObject {
  const metadata = pick(definition, METADATA);
  const { annotations } = metadata;
  return isObject(annotations) ? { ...metadata, annotations: annotationsOf(annotations) } : metadata;
}

/** No approval depends on annotations (docs/security.md, row 4). */
export function annotationsOf(annotations: JsonObject): JsonObject {
  const unknown = Object.entries(annotations).filter(([name]) => !Object.hasOwn(ANNOTATIONS, name));
  return { ...Object.fromEntries(unknown), ...pick(annotations, ANNOTATIONS) };
}

function pick(object: JsonObject, checks: Readonly<Record<string, Check>>): JsonObject {
  const names = Object.keys(checks).filter((name) => Object.hasOwn(object, name) && checks[name]?.(object[name]));
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}
