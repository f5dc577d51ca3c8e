import type { ToolContent } from '../../src/shared/state/contentBlocks';
import { entriesFrom } from '../../src/shared/state/entryPages';
import type { Entry, SessionState } from '../../src/shared/state/sessionState';
import { displayStatus, STATUS_LABELS } from '../../src/shared/text/statusText';

/** A session as text for a golden file, without times and ids. */
export function render(state: SessionState): string {
  const lines = Array.from(entriesFrom(state.entries)).flatMap(([, entry]) => renderEntry(entry));
  const plan = state.plan.map((item) => `  ${item.status}: ${item.content}`);
  const commands = state.commands.map((command) => `/${command.name}`);
  return [
    `title: ${state.title ?? ''}`,
    `turn: ${state.turn.status} ${state.turn.status === 'idle' ? (state.turn.stopReason ?? '') : ''}`,
    ...(plan.length > 0 ? ['plan:', ...plan] : []),
    ...(commands.length > 0 ? [`commands: ${commands.join(' ')}`] : []),
    ...(state.usage ? [`usage: ${state.usage.used} of ${state.usage.size}`] : []),
    '',
    ...lines,
    '',
  ].join('\n');
}

function renderEntry(entry: Entry): string[] {
  switch (entry.kind) {
    case 'user':
    case 'agent':
    case 'thought':
      return [`[${entry.kind}]`, ...indent(entry.text), ...entry.blocks.map((block) => `  <${block.type}>`)];
    case 'tool': {
      const places = entry.locations.map((place) => `  at ${place.label}${place.line ? `:${place.line}` : ''}`);
      return [
        `[tool ${entry.tool}] ${entry.title}: ${STATUS_LABELS[displayStatus(entry)]}`,
        ...places,
        ...entry.content.flatMap(renderContent),
      ];
    }
    case 'permission': {
      const options = entry.options.map((option) => `  ( ) ${option.name} (${option.kind})`);
      const outcome = entry.outcome?.type === 'selected' ? entry.outcome.optionId : entry.outcome?.reason;
      return [`[permission] ${entry.title}`, ...options, `  => ${outcome ?? 'waiting'}`];
    }
    case 'elicitation':
      return [`[elicitation ${entry.question.mode}] ${entry.message}`, `  => ${entry.outcome?.type ?? 'waiting'}`];
    case 'notice':
    case 'error':
      return [`[${entry.kind}] ${entry.kind === 'notice' ? entry.title : entry.message}`];
    case 'raw':
      return [`[raw] ${entry.label}`];
    case 'compaction':
      return [`[compaction] ${entry.status}${entry.error ? ` (${entry.error})` : ''}`, ...indent(entry.text)];
    case 'relay':
      return [`[relay] ${entry.from ?? '?'} -> ${entry.to ?? '?'}`, ...indent(entry.text)];
    case 'subagent': {
      const inner = Array.from(entriesFrom(entry.child.entries)).flatMap(([, child]) => renderEntry(child));
      return [
        `[subagent] ${entry.title ?? entry.sessionId}: ${entry.activity ?? entry.child.turn.status}`,
        ...inner.map((line) => `    ${line}`),
      ];
    }
    default:
      return entry satisfies never;
  }
}

function renderContent(content: ToolContent): string[] {
  switch (content.type) {
    case 'block':
      return content.block.type === 'text' ? indent(content.block.text) : [`  <${content.block.type}>`];
    case 'diff':
      return [
        `  diff ${content.label} +${content.added} -${content.removed}${content.isNew ? ' new' : ''}`,
        ...content.hunks.flatMap((hunk) => hunk.lines.map((line) => `  ${sign[line.type]}${line.text}`)),
      ];
    case 'terminal':
      return ['  <terminal>'];
    case 'raw':
      return ['  <raw>'];
    default:
      return content satisfies never;
  }
}

const sign = { same: ' ', added: '+', removed: '-' } as const;

/** Long texts are shortened in the middle, so that a golden file stays readable. */
function indent(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => `  ${line.length > 160 ? `${line.slice(0, 120)}… (${line.length})` : line}`);
  return lines.length > 24 ? [...lines.slice(0, 12), `  … ${lines.length - 24} lines`, ...lines.slice(-12)] : lines;
}
