import { assertNever } from '../../base/assert';
import { t } from '../../base/l10n';
import { toFenced, truncate } from '../../base/text';
import type { Block, DiffContent, ToolContent } from '../../shared/state/contentBlocks';
import type { ElicitationEntry } from '../../shared/state/elicitationState';
import { entriesFrom, entryAt } from '../../shared/state/entryPages';
import type { PlanItem } from '../../shared/state/planState';
import type { Entry, SessionState, UserEntry } from '../../shared/state/sessionState';
import type { Terminal } from '../../shared/state/terminalState';
import { terminalOf } from '../../shared/state/terminalState';
import type { ToolEntry } from '../../shared/state/toolCallState';
import { outputText } from '../../shared/terminal/screenText';
import { STATUS_LABELS } from '../../shared/text/statusText';

/** A session as Markdown, for reading and sharing. Pure. */

type Terminals = Readonly<Record<string, Terminal>>;

/**
 * @param title its title
 * @param about lines below it, such as the agent's name
 */
export function sessionMarkdown(state: SessionState, title: string, about: readonly string[]): string {
  const head = [`# ${oneLine(title)}`, about.map((line) => `- ${oneLine(line)}`).join('\n')];
  const plan = state.plan.length > 0 ? [`## ${t('Plan')}\n\n${planMarkdown(state.plan)}`] : [];
  return `${[...head, ...entriesMarkdown(state, 0, state.entries.count), ...plan].filter(Boolean).join('\n\n')}\n`;
}

/** Undefined for an invalid index. */
export function entryMarkdown(state: SessionState, index: number): string | undefined {
  const entry = entryAt(state.entries, index);
  return entry && `${markdownOf(entry, state.terminals)}\n`;
}

/** The turn of the entry: from the user's message to the next one. */
export function turnMarkdown(state: SessionState, index: number): string {
  let first = index;
  while (first > 0 && entryAt(state.entries, first)?.kind !== 'user') first--;
  let end = index + 1;
  while (end < state.entries.count && entryAt(state.entries, end)?.kind !== 'user') end++;
  return `${entriesMarkdown(state, first, end).join('\n\n')}\n`;
}

function entriesMarkdown({ entries, terminals }: SessionState, first: number, end: number): string[] {
  const all: string[] = [];
  for (const [index, entry] of entriesFrom(entries, first)) {
    if (index >= end) break;
    all.push(markdownOf(entry, terminals));
  }
  return all;
}

// oxlint-disable-next-line max-lines-per-function -- one case per kind, nothing else
function markdownOf(entry: Entry, terminals: Terminals): string {
  switch (entry.kind) {
    case 'user':
      return joinParagraphs(`## ${t('You')}`, userText(entry), ...entry.blocks.map(blockMarkdown));
    case 'agent':
      return joinParagraphs(`## ${t('Agent')}`, entry.text, ...entry.blocks.map(blockMarkdown));
    case 'thought':
      return toDetails(t('Thought'), joinParagraphs(entry.text, ...entry.blocks.map(blockMarkdown)));
    case 'tool':
      return toolMarkdown(entry, terminals);
    case 'permission': {
      const { outcome } = entry;
      const chosen = outcome?.type === 'selected' && entry.options.find((one) => one.optionId === outcome.optionId);
      const canceled = outcome?.type === 'canceled' ? t('Canceled: {0}', outcome.reason) : t('not answered');
      const answer = chosen ? chosen.name : canceled;
      const reason = outcome?.type === 'selected' && outcome.reason !== undefined ? ` (${outcome.reason})` : '';
      return `> **${t('Permission: {0}', oneLine(entry.title))}** → ${oneLine(answer + reason)}`;
    }
    case 'elicitation':
      return `> **${t('{0} asks: {1}', oneLine(entry.agent), oneLine(entry.message))}** → ${oneLine(formAnswer(entry))}`;
    case 'notice':
      return quote(`**${oneLine(entry.title)}**`, entry.text);
    case 'error':
      return joinParagraphs(
        quote(`**${t('Error: {0}', oneLine(entry.message))}**`),
        entry.detail && toFenced(entry.detail),
      );
    case 'raw':
      return toDetails(entry.label, toFenced(jsonText(entry.value), 'json'));
    case 'compaction':
      return toDetails(
        t('Context compacted'),
        joinParagraphs(entry.text, ...entry.blocks.map(blockMarkdown), entry.error),
      );
    case 'relay': {
      const names = [entry.from, entry.to].filter((name) => name !== undefined).join(' → ');
      return joinParagraphs(`## ${names || t('Message')}`, entry.text, ...entry.blocks.map(blockMarkdown));
    }
    case 'subagent': {
      const { child } = entry;
      return toDetails(entry.title ?? t('Subagent'), entriesMarkdown(child, 0, child.entries.count).join('\n\n'));
    }
    default:
      return assertNever(entry);
  }
}

function formAnswer({ outcome, question, completed }: ElicitationEntry): string {
  if (!outcome) return t('not answered');
  if (outcome.type === 'canceled') return t('Canceled: {0}', outcome.reason);
  if (outcome.type === 'declined') return t('Declined');
  if (question.mode === 'form') return t('Submitted');
  return completed ? t('Done') : t('Opened in the browser');
}

function userText({ text, expansion }: UserEntry): string {
  return expansion ? joinParagraphs(text, toDetails(expansion.label, expansion.text)) : text;
}

function toolMarkdown(entry: ToolEntry, terminals: Terminals): string {
  const content = entry.content.map((part) => contentMarkdown(part, terminals));
  const output = content.length === 0 && entry.rawOutput !== undefined ? jsonText(entry.rawOutput) : undefined;
  return joinParagraphs(
    `### ${t('Tool: {0}', oneLine(entry.title))} (${STATUS_LABELS[entry.status]})`,
    entry.locations.map(({ label, line }) => `- ${toCode(line === undefined ? label : `${label}:${line}`)}`).join('\n'),
    entry.rawInput !== undefined && toDetails(t('Input'), toFenced(jsonText(entry.rawInput), 'json')),
    ...content,
    output !== undefined && toDetails(t('Output'), toFenced(output, 'json')),
  );
}

function contentMarkdown(part: ToolContent, terminals: Terminals): string {
  switch (part.type) {
    case 'block':
      return blockMarkdown(part.block);
    case 'diff':
      return joinParagraphs(toCode(part.label), toFenced(diffText(part), 'diff'));
    case 'terminal': {
      const terminal = terminalOf(terminals, part.terminalId);
      return terminal ? terminalMarkdown(terminal) : '';
    }
    case 'raw':
      return toFenced(jsonText(part.value), 'json');
    default:
      return assertNever(part);
  }
}

function terminalMarkdown({ command, output, truncated, exit }: Terminal): string {
  const blocks = [`$ ${command}`, truncated ? t('[earlier output omitted]') : '', outputText(output).trimEnd()];
  const ending = exit?.code !== undefined && exit.code !== 0 ? t('Exit code {0}', exit.code) : exit?.signal;
  return joinParagraphs(toFenced(blocks.filter(Boolean).join('\n'), 'console'), ending);
}

function diffText({ hunks, label, isNew, omitted }: DiffContent): string {
  const signs = { same: ' ', added: '+', removed: '-' } as const;
  const lines = hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart} +${hunk.newStart} @@`,
    ...hunk.lines.map(({ type, text }) => signs[type] + text),
  ]);
  const more = omitted === undefined ? [] : [t('[{0} more lines]', omitted)];
  return [`--- ${isNew ? '/dev/null' : label}`, `+++ ${label}`, ...lines, ...more].join('\n');
}

function blockMarkdown(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return `![${t('Image')}](data:${block.mimeType};base64,${block.data})`;
    case 'audio':
      return `[${t('Audio')}](data:${block.mimeType};base64,${block.data})`;
    case 'link':
      return `[${toBracketed(block.title ?? block.name)}](<${block.uri.replaceAll(/[<>\n]/g, encodeURIComponent)}>)`;
    case 'resource':
      return block.text === undefined ? toCode(block.uri) : toDetails(block.uri, toFenced(block.text));
    case 'raw':
      return toFenced(jsonText(block.value), 'json');
    default:
      return assertNever(block);
  }
}

function planMarkdown(items: readonly PlanItem[]): string {
  return items.map(({ content, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${oneLine(content)}`).join('\n');
}

function toCode(text: string): string {
  const line = oneLine(text);
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}

function toDetails(summary: string, text: string): string {
  const title = oneLine(summary).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<details>\n<summary>${title}</summary>\n\n${text}\n\n</details>`;
}

function quote(...texts: readonly (string | undefined)[]): string {
  return texts
    .filter((text) => text !== undefined && text !== '')
    .join('\n\n')
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function joinParagraphs(...texts: readonly (string | false | undefined)[]): string {
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n\n');
}

function toBracketed(text: string): string {
  return oneLine(text).replaceAll(/[[\]\\]/g, String.raw`\$&`);
}

function oneLine(text: string): string {
  return truncate(text.replaceAll(/\s+/g, ' ').trim(), 500);
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? String(value));
}
