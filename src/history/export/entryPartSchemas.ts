import type { Schema } from '../../base/schema';
import { boolean, count, list, object, optional, string, union, enumOf, SchemaError } from '../../base/schema';
import type {
  Block,
  DiffContent,
  DiffHunk,
  DiffLine,
  Location,
  ResourceOrigin,
  ToolContent,
  ToolKind,
} from '../../shared/state/contentBlocks';
import { toolKinds } from '../../shared/state/contentBlocks';
import type { Choice, ElicitationOutcome, ElicitationQuestion, FormField } from '../../shared/state/elicitationState';
import type { NamedPlan, PlanItem } from '../../shared/state/planState';
import type { PromptExpansion } from '../../shared/state/sessionState';
import type { Terminal } from '../../shared/state/terminalState';
import type { JsonType, TextJson } from '../../shared/state/textJson';
import type {
  PermissionKind,
  PermissionOption,
  PermissionOutcome,
  RememberedDecision,
  ToolStatus,
} from '../../shared/state/toolCallState';
import type { Usage, TokenUsage } from '../../shared/state/usageState';
import { id, json, number, pair, time } from './fileSchemas';

/** Schemas for parts of entries. The compiler checks that no field is missing. */

/** The member of a union with this `type`. */
type Typed<U extends { readonly type: string }, T extends U['type']> = Extract<U, { type: T }>;

const origin = optional(object<ResourceOrigin>({ server: string, uri: string }));

export const block: Schema<Block> = union<Block>('type', {
  text: object<Typed<Block, 'text'>>({ type: enumOf('text'), text: string }),
  image: object<Typed<Block, 'image'>>({
    type: enumOf('image'),
    data: string,
    mimeType: string,
    uri: optional(string),
    origin,
  }),
  audio: object<Typed<Block, 'audio'>>({ type: enumOf('audio'), data: string, mimeType: string }),
  link: object<Typed<Block, 'link'>>({
    type: enumOf('link'),
    uri: string,
    name: string,
    title: optional(string),
    size: optional(number),
    mimeType: optional(string),
  }),
  resource: object<Typed<Block, 'resource'>>({
    type: enumOf('resource'),
    uri: string,
    text: optional(string),
    blob: optional(string),
    mimeType: optional(string),
    origin,
    isFile: optional(boolean),
  }),
  raw: object<Typed<Block, 'raw'>>({ type: enumOf('raw'), value: json }),
});

const diffLine = object<DiffLine>({
  type: enumOf('same', 'added', 'removed'),
  text: string,
  marks: optional(list(pair)),
});

const diffHunk = object<DiffHunk>({ oldStart: count, newStart: count, lines: list(diffLine) });

export const toolContent: Schema<ToolContent> = union<ToolContent>('type', {
  block: object<Typed<ToolContent, 'block'>>({ type: enumOf('block'), block }),
  diff: object<DiffContent>({
    type: enumOf('diff'),
    diffId: id,
    path: string,
    label: string,
    isNew: boolean,
    added: count,
    removed: count,
    hunks: list(diffHunk),
    coarse: optional(boolean),
    omitted: optional(count),
  }),
  terminal: object<Typed<ToolContent, 'terminal'>>({ type: enumOf('terminal'), terminalId: id }),
  raw: object<Typed<ToolContent, 'raw'>>({ type: enumOf('raw'), value: json }),
});

export const location = object<Location>({ path: string, label: string, line: optional(count) });

export const toolKind: Schema<ToolKind> = (value, path) => {
  if (typeof value === 'string' && toolKinds.has(value)) return value as ToolKind;
  throw new SchemaError(path, Array.from(toolKinds).join(', '), value);
};

export const toolStatus: Schema<ToolStatus> = enumOf('pending', 'running', 'done', 'failed', 'rejected', 'canceled');

export const expansion = object<PromptExpansion>({ name: string, label: string, path: optional(string), text: string });

const permissionKind: Schema<PermissionKind> = enumOf(
  'allow_once',
  'allow_always',
  'reject_once',
  'reject_always',
  'other',
);

export const permissionOption = object<PermissionOption>({ optionId: string, name: string, kind: permissionKind });

export const permissionOutcome: Schema<PermissionOutcome> = union<PermissionOutcome>('type', {
  selected: object<Typed<PermissionOutcome, 'selected'>>({
    type: enumOf('selected'),
    optionId: string,
    by: optional(enumOf('person', 'rule')),
    reason: optional(string),
  }),
  canceled: object<Typed<PermissionOutcome, 'canceled'>>({ type: enumOf('canceled'), reason: string }),
});

export const remembered = object<RememberedDecision>({
  scope: enumOf('session', 'workspace', 'everywhere'),
  rules: list(string),
  note: optional(string),
  past: optional(boolean),
});

const choice = object<Choice>({
  value: string,
  label: string,
  description: optional(string),
  json: optional(json),
});

const jsonType = enumOf<JsonType>('string', 'number', 'integer', 'boolean', 'object', 'array');
const textJson = object<TextJson>({ types: list(jsonType), items: optional(list(jsonType)) });

const field = {
  key: string,
  label: string,
  description: optional(string),
  required: boolean,
  nullWhenEmpty: optional(boolean),
};

const formField: Schema<FormField> = union<FormField>('type', {
  text: object<Typed<FormField, 'text'>>({
    ...field,
    type: enumOf('text'),
    format: optional(enumOf('email', 'uri', 'date', 'date-time')),
    minLength: optional(count),
    maxLength: optional(count),
    pattern: optional(string),
    initial: optional(string),
    isSecret: optional(boolean),
    json: optional(textJson),
  }),
  number: object<Typed<FormField, 'number'>>({
    ...field,
    type: enumOf('number'),
    whole: boolean,
    minimum: optional(number),
    maximum: optional(number),
    above: optional(number),
    below: optional(number),
    initial: optional(number),
    isSecret: optional(boolean),
  }),
  boolean: object<Typed<FormField, 'boolean'>>({
    ...field,
    type: enumOf('boolean'),
    initial: optional(boolean),
    isUnset: optional(boolean),
  }),
  choice: object<Typed<FormField, 'choice'>>({
    ...field,
    type: enumOf('choice'),
    choices: list(choice),
    initial: optional(string),
  }),
  choices: object<Typed<FormField, 'choices'>>({
    ...field,
    type: enumOf('choices'),
    choices: list(choice),
    minItems: optional(count),
    maxItems: optional(count),
    initial: optional(list(string)),
  }),
});

export const elicitationQuestion: Schema<ElicitationQuestion> = union<ElicitationQuestion>('mode', {
  form: object<Extract<ElicitationQuestion, { mode: 'form' }>>({
    mode: enumOf('form'),
    title: optional(string),
    description: optional(string),
    fields: list(formField),
  }),
  url: object<Extract<ElicitationQuestion, { mode: 'url' }>>({
    mode: enumOf('url'),
    url: string,
    host: string,
    warning: optional(string),
  }),
});

export const elicitationOutcome: Schema<ElicitationOutcome> = union<ElicitationOutcome>('type', {
  accepted: object<Typed<ElicitationOutcome, 'accepted'>>({ type: enumOf('accepted') }),
  declined: object<Typed<ElicitationOutcome, 'declined'>>({ type: enumOf('declined') }),
  canceled: object<Typed<ElicitationOutcome, 'canceled'>>({ type: enumOf('canceled'), reason: string }),
});

export const planItem = object<PlanItem>({
  content: string,
  priority: string,
  status: enumOf('pending', 'in_progress', 'completed'),
});

export const namedPlan: Schema<NamedPlan> = union<NamedPlan>('kind', {
  items: object<Extract<NamedPlan, { kind: 'items' }>>({
    planId: string,
    kind: enumOf('items'),
    items: list(planItem),
  }),
  file: object<Extract<NamedPlan, { kind: 'file' }>>({ planId: string, kind: enumOf('file'), uri: string }),
  markdown: object<Extract<NamedPlan, { kind: 'markdown' }>>({
    planId: string,
    kind: enumOf('markdown'),
    text: string,
  }),
});

export const terminal = object<Terminal>({
  terminalId: id,
  command: string,
  cwd: optional(string),
  foreign: optional(boolean),
  tty: optional(boolean),
  allowed: optional(string),
  output: string,
  truncated: boolean,
  dropped: optional(count),
  startedAt: time,
  exit: optional(object<NonNullable<Terminal['exit']>>({ code: optional(number), signal: optional(string), at: time })),
});

export const usage = object<Usage>({
  used: number,
  size: number,
  cost: optional(object<NonNullable<Usage['cost']>>({ amount: number, currency: string })),
});

export const tokens = object<TokenUsage>({
  total: number,
  input: number,
  output: number,
  cachedRead: optional(number),
  cachedWrite: optional(number),
  thought: optional(number),
});
