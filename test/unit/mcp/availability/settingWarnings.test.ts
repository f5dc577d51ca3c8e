import assert from 'node:assert/strict';
import { nameWarnings, ruleProblems } from '../../../../src/mcp/availability/settingWarnings';
import { ToolEnablement } from '../../../../src/mcp/availability/toolEnablement';
import type { RegisteredServer } from '../../../../src/mcp/contract/toolServerRegistry';
import { LongResults, MAX_RESULT_BYTES } from '../../../../src/mcp/host/longResults';
import { MemoryMemento } from '../../../kit/memoryMemento';
import { toolOf } from '../calls/gateBench';

const serverOf = (name: string, ...tools: string[]): RegisteredServer => ({
  name,
  origin: 'builtIn',
  server: {
    name,
    title: name,
    description: name,
    tools: tools.map((tool) => toolOf(() => ({ text: '' }), { name: tool })),
  },
});
const servers = [serverOf('code', 'hover', 'outline'), serverOf('context7', 'get'), serverOf('empty')];
const told = (...patterns: string[]): string[] =>
  ruleProblems({ servers, others: ['passed-on'], patterns: [{ path: 'deny', patterns }], names: [] }).map(
    ({ message }) => message,
  );

describe('mcp/availability/settingWarnings', () => {
  it('does not warn about valid names and rules', () => {
    assert.deepEqual(nameWarnings(servers), []);
    assert.deepEqual(told('code__hover', 'code__*', '*__hover', '*', 'empty__*', 'passed-on__*', 'passed-on__x'), []);
  });

  it('reports names that agents cannot use: characters, renames, length, duplicates, clashes', () => {
    const wrong = [
      serverOf('my_server', 'a', 'a'),
      serverOf('s', 't'.repeat(57)),
      { ...serverOf('code-2', 'x'), clash: 'code', server: serverOf('code', 'x').server },
      serverOf('My Server.x', 'a'),
      { ...serverOf('a_b', 'x'), server: serverOf('a__b', 'x').server },
    ];
    const sentences = nameWarnings(wrong);
    assert.equal(sentences.length, 7);
    for (const part of [
      /cannot use the tool server name “my_server”/,
      /cannot use the tool server name “My Server\.x”/,
      /cannot use the tool server name “a_b”/,
      /“a__b” is named “a_b” in rules and for agents/,
      /two tools named “a”/,
      /longer than 64 characters/,
      /Two tool servers are named “code”.*“code-2”/,
    ]) {
      assert.ok(
        sentences.some((sentence) => part.test(sentence)),
        String(part),
      );
    }
    assert.deepEqual(nameWarnings([serverOf('s', 't'.repeat(56))]), []);
  });

  it('suggests the intended name', () => {
    const meant = {
      'context7.get': 'context7__get',
      'context7.*': 'context7__*',
      'code/hover': 'code__hover',
      code_hover: 'code__hover',
      mcp__code__hover: 'code__hover',
      Code__Hover: 'code__hover',
      code: 'code__*',
    };
    for (const [pattern, right] of Object.entries(meant)) {
      assert.match(
        told(pattern)[0] ?? '',
        new RegExp(`did you mean ${JSON.stringify(right).replaceAll('*', '\\*')}\\?`),
      );
    }
  });

  it('reports rules that match nothing, unknown servers, and duplicates', () => {
    assert.match(
      told('nowhere__x')[0] ?? '',
      /no tool server is named "nowhere"; available tool servers: code, context7, empty, passed-on/,
    );
    assert.match(told('code__nothing')[0] ?? '', /matches no tool; use the form server__tool/);
    assert.deepEqual(told('code__*', 'code__*'), ['"code__*" is listed twice']);
    const names = [{ path: 'servers', patterns: ['Code', 'x'], from: 'workspace settings' }];
    const problems = ruleProblems({ servers, patterns: [], names });
    assert.deepEqual(
      problems.map(({ path, from }) => [path, from]),
      [
        ['servers', 'workspace settings'],
        ['servers', 'workspace settings'],
      ],
    );
    assert.match(problems[0]?.message ?? '', /did you mean "code"\?/);
  });
});

describe('mcp/availability/toolEnablement', () => {
  it('stores and removes switches, and accepts damaged stored data', async () => {
    const memory = new MemoryMemento();
    const enablement = new ToolEnablement(memory);
    let times = 0;
    enablement.onDidChange(() => (times += 1));
    await enablement.set('tasks', true);
    await enablement.set('tasks', true);
    assert.deepEqual([enablement.get('tasks'), new ToolEnablement(memory).get('tasks'), times], [true, true, 1]);
    await enablement.set('tasks', undefined);
    assert.deepEqual([enablement.get('tasks'), new ToolEnablement(memory).get('tasks')], [undefined, undefined]);
    assert.equal(enablement.get('toString'), undefined);
    for (const key of memory.values.keys()) memory.values.set(key, { a: 'on', b: true });
    const damaged = new ToolEnablement(memory);
    assert.deepEqual([damaged.get('a'), damaged.get('b')], [undefined, true]);
  });
});

describe('mcp/host/longResults', () => {
  it('leaves short results unchanged', () => {
    const result = { text: 'x'.repeat(MAX_RESULT_BYTES - 10), structured: { a: 1 } };
    assert.equal(new LongResults().shorten(result, true), result);
  });

  it('returns the beginning of a long text with a link to the whole text, and keeps its data', () => {
    const results = new LongResults();
    const text = 'ü'.repeat(MAX_RESULT_BYTES);
    const { content, structured, isError } = results.shorten({ text, structured: { a: 1 } }, true);
    assert.deepEqual([structured, isError], [{ a: 1 }, undefined]);
    const [head, link] = content ?? [];
    assert.ok(String(head?.['text']).length < 5_000);
    assert.equal(link?.['type'], 'resource_link');
    assert.equal(link?.['size'], 2 * MAX_RESULT_BYTES);
    const kept = results.read(String(link?.['uri']).replace('result://', ''));
    assert.deepEqual(kept, { text, mimeType: 'text/plain' });
  });

  it('returns long data as an error if a schema requires it, with a link to the JSON', () => {
    const results = new LongResults();
    const structured = { list: Array.from({ length: 60_000 }, (_, index) => index) };
    const long = results.shorten({ text: 'many', structured }, true);
    assert.deepEqual([long.isError, long.structured], [true, undefined]);
    const kept = results.read(String(long.content?.[1]?.['uri']).replace('result://', ''));
    assert.deepEqual(JSON.parse(kept?.text ?? ''), structured);
    assert.equal(results.shorten({ text: 'many', structured }, false).isError, undefined);
  });

  it('keeps the last eight results', () => {
    const results = new LongResults();
    const ids = Array.from({ length: 9 }, () => {
      const { content } = results.shorten({ text: 'x'.repeat(MAX_RESULT_BYTES + 1) }, false);
      return String(content?.[1]?.['uri']).replace('result://', '');
    });
    assert.equal(results.read(ids[0]!), undefined);
    assert.ok(results.read(ids[1]!));
  });
});
