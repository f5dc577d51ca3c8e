import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../src/base/json';
import { toolSubject } from '../../src/permissions/subject/toolSubject';
import { entriesFrom, entryAt } from '../../src/shared/state/entryPages';
import type { ToolEntry } from '../../src/shared/state/toolCallState';
import { recordings } from '../fuzz/recordings';
import { replayTraffic } from './player';

/**
 * The subject of every permission request that real agents sent: none may be unclear. After an intended change:
 * UPDATE_GOLDEN=1 npm test replay, and review the diff.
 */
const golden = join(process.cwd(), 'test/replay/subjects.txt');

describe('permission requests of real agents', () => {
  it('have one subject each', () => {
    const rows = new Set([...recordings].flatMap(([name, records]) => rowsOf(name, records)));
    const text = `${[...rows].toSorted().join('\n')}\n`;
    if (process.env['UPDATE_GOLDEN']) writeFileSync(golden, text);
    assert.equal(text, readFileSync(golden, 'utf8'));
    assert.doesNotMatch(text, /unclear/);
    assert.ok(rows.size > 20);
  });
});

function rowsOf(name: string, records: Parameters<typeof replayTraffic>[0]): readonly string[] {
  const { entries } = replayTraffic(records);
  return Array.from(entriesFrom(entries), ([, entry]) => entry).flatMap((entry) => {
    const tool = entry.kind === 'permission' ? entryAt(entries, entry.tool) : undefined;
    return tool?.kind === 'tool' ? [`${name.split('-')[0] ?? ''} | ${formOf(tool)} | ${subjectOf(tool)}`] : [];
  });
}

/** What the agent fills in. */
function formOf({ tool, name, content, locations, rawInput }: ToolEntry): string {
  const fields = typeof rawInput === 'object' && rawInput !== null ? Object.keys(rawInput).toSorted() : [];
  const parts = [
    ...(name === undefined ? [] : ['name']),
    ...new Set(content.map(({ type }) => type)),
    ...(locations.length > 0 ? ['locations'] : []),
    `rawInput{${fields.join(' ')}}`,
  ];
  return `${tool}: ${parts.join(', ')}`;
}

function subjectOf(tool: ToolEntry): string {
  const subject = toolSubject(tool);
  const { type } = subject;
  if (type === 'command') return `command ${canonicalJson(subject.command)}`;
  if (type === 'unclear') return `unclear: ${subject.why}`;
  return type === 'edit'
    ? 'edit'
    : `tool ${subject.name ?? tool.name ?? `"${tool.title}"`} ${canonicalJson(subject.args)}`;
}
