import type {
  Block,
  DiffContent,
  DiffHunk,
  DiffLine,
  Location,
  ToolContent,
  ToolKind,
} from '../../shared/state/contentBlocks';
import type { Choice, ElicitationOutcome, ElicitationQuestion, FormField } from '../../shared/state/elicitationState';
import type {
  PromptExpansion,
  PermissionKind,
  PermissionOption,
  PermissionOutcome,
  PlanItem,
  RememberedDecision,
  Terminal,
  ToolStatus,
  Usage,
} from '../../shared/state/sessionState';
import type { NamedPlan, TokenUsage } from '../../shared/state/subagentState';
import { toolKinds } from '../../shared/state/contentBlocks';
import type { Shape } from './schema';
import {
  boolean,
  count,
  id,
  json,
  list,
  number,
  object,
  optional,
  pair,
  string,
  time,
  union,
  word,
  wrong,
} from './schema';

/** How the parts of entries must look in a file. Every field is here, or it does not compile. */

/** The one of a union whose `type` is this. */
type Typed<U extends { readonly type: string }, T extends U['type']> = Extract<U, { type: T }>;

export const block: Shape<Block> = union<Block>('type', {
  text: object<Typed<Block, 'text'>>({ type: word('text'), text: string }),
  image: object<Typed<Block, 'image'>>({
    type: word('image'),
    data: string,
    mimeType: string,
    uri: optional(string),
  }),
  audio: object<Typed<Block, 'audio'>>({ type: word('audio'), data: string, mimeType: string }),
  link: object<Typed<Block, 'link'>>({
    type: word('link'),
    uri: string,
    name: string,
    title: optional(string),
    size: optional(number),
    mimeType: optional(string),
  }),
  resource: object<Typed<Block, 'resource'>>({
    type: word('resource'),
    uri: string,
    text: optional(string),
    blob: optional(string),
    mimeType: optional(string),
  }),
  raw: object<Typed<Block, 'raw'>>({ type: word('raw'), value: json }),
});

const diffLine = object<DiffLine>({
  type: word('same', 'added', 'removed'),
  text: string,
  marks: optional(list(pair)),
});

const diffHunk = object<DiffHunk>({ oldStart: count, newStart: count, lines: list(diffLine) });

export const toolContent: Shape<ToolContent> = union<ToolContent>('type', {
  block: object<Typed<ToolContent, 'block'>>({ type: word('block'), block }),
  diff: object<DiffContent>({
    type: word('diff'),
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
  terminal: object<Typed<ToolContent, 'terminal'>>({ type: word('terminal'), terminalId: id }),
  raw: object<Typed<ToolContent, 'raw'>>({ type: word('raw'), value: json }),
});

export const location = object<Location>({ path: string, label: string, line: optional(count) });

export const toolKind: Shape<ToolKind> = (value, path) => {
  if (typeof value === 'string' && toolKinds.has(value)) return value as ToolKind;
  throw wrong(path, Array.from(toolKinds).join(', '), value);
};

export const toolStatus: Shape<ToolStatus> = word('pending', 'running', 'done', 'failed', 'rejected', 'canceled');

export const expansion = object<PromptExpansion>({ name: string, label: string, path: string, text: string });

const permissionKind: Shape<PermissionKind> = word(
  'allow_once',
  'allow_always',
  'reject_once',
  'reject_always',
  'other',
);

export const permissionOption = object<PermissionOption>({ optionId: string, name: string, kind: permissionKind });

export const permissionOutcome: Shape<PermissionOutcome> = union<PermissionOutcome>('type', {
  selected: object<Typed<PermissionOutcome, 'selected'>>({
    type: word('selected'),
    optionId: string,
    by: optional(word('person', 'rule')),
    reason: optional(string),
  }),
  canceled: object<Typed<PermissionOutcome, 'canceled'>>({ type: word('canceled'), reason: string }),
});

export const remembered = object<RememberedDecision>({
  scope: word('session', 'workspace', 'everywhere'),
  rules: list(string),
  note: optional(string),
  past: optional(boolean),
});

const choice = object<Choice>({ value: string, label: string, description: optional(string) });

const field = { key: string, label: string, description: optional(string), required: boolean };

const formField: Shape<FormField> = union<FormField>('type', {
  text: object<Typed<FormField, 'text'>>({
    ...field,
    type: word('text'),
    format: optional(word('email', 'uri', 'date', 'date-time')),
    minLength: optional(count),
    maxLength: optional(count),
    pattern: optional(string),
    initial: optional(string),
  }),
  number: object<Typed<FormField, 'number'>>({
    ...field,
    type: word('number'),
    whole: boolean,
    minimum: optional(number),
    maximum: optional(number),
    initial: optional(number),
  }),
  boolean: object<Typed<FormField, 'boolean'>>({ ...field, type: word('boolean'), initial: optional(boolean) }),
  choice: object<Typed<FormField, 'choice'>>({
    ...field,
    type: word('choice'),
    choices: list(choice),
    initial: optional(string),
  }),
  choices: object<Typed<FormField, 'choices'>>({
    ...field,
    type: word('choices'),
    choices: list(choice),
    minItems: optional(count),
    maxItems: optional(count),
    initial: optional(list(string)),
  }),
});

export const question: Shape<ElicitationQuestion> = union<ElicitationQuestion>('mode', {
  form: object<Extract<ElicitationQuestion, { mode: 'form' }>>({
    mode: word('form'),
    title: optional(string),
    description: optional(string),
    fields: list(formField),
  }),
  url: object<Extract<ElicitationQuestion, { mode: 'url' }>>({
    mode: word('url'),
    url: string,
    host: string,
    warning: optional(string),
  }),
});

export const elicitationOutcome: Shape<ElicitationOutcome> = union<ElicitationOutcome>('type', {
  accepted: object<Typed<ElicitationOutcome, 'accepted'>>({ type: word('accepted') }),
  declined: object<Typed<ElicitationOutcome, 'declined'>>({ type: word('declined') }),
  canceled: object<Typed<ElicitationOutcome, 'canceled'>>({ type: word('canceled'), reason: string }),
});

export const planItem = object<PlanItem>({
  content: string,
  priority: string,
  status: word('pending', 'in_progress', 'completed'),
});

export const namedPlan: Shape<NamedPlan> = union<NamedPlan>('kind', {
  items: object<Extract<NamedPlan, { kind: 'items' }>>({ planId: string, kind: word('items'), items: list(planItem) }),
  file: object<Extract<NamedPlan, { kind: 'file' }>>({ planId: string, kind: word('file'), uri: string }),
  markdown: object<Extract<NamedPlan, { kind: 'markdown' }>>({ planId: string, kind: word('markdown'), text: string }),
});

export const terminal = object<Terminal>({
  terminalId: id,
  command: string,
  cwd: optional(string),
  foreign: optional(boolean),
  tty: optional(boolean),
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
