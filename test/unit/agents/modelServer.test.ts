import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { minimalValue } from '../../agents/auxiliary';
import { MODELS } from '../../agents/forms/form';
import type { ModelServer } from '../../agents/modelServer';
import { startModelServer } from '../../agents/modelServer';
import { manyChunk } from '../../agents/player';
import { ScriptError, parseScript } from '../../agents/script';
import { until } from '../../kit/waiting';

type Message = Record<string, unknown>;

interface Delta {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { index: number; id: string; function: { name: string; arguments: string } }[];
}

interface Chunk {
  readonly choices: readonly { delta: Delta; finish_reason: string | null }[];
  readonly usage?: unknown;
}

const TOOLS = ['read', 'write', 'edit', 'bash'].map((name) => ({
  type: 'function',
  function: { name, parameters: {} },
}));

function user(content: unknown): Message {
  return { role: 'user', content };
}

function toolTurn(result: string): Message[] {
  const call = { id: 'c', type: 'function', function: { name: 'write', arguments: '{}' } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: result },
  ];
}

describe('the script of the model', () => {
  it('ends a model turn with its tool calls and keeps a final turn', () => {
    const turns = parseScript('say one\nread a.txt\n+ read b.txt\nprose is ignored\nwrite "my file" x\\ny');
    assert.deepEqual(
      turns.map((turn) => turn.map((step) => step.kind)),
      [['say', 'tool', 'tool'], ['tool'], []],
    );
    assert.deepEqual(turns[1], [{ kind: 'tool', wish: { purpose: 'write', path: 'my file', content: 'x\ny' } }]);
  });

  const wrong: [script: string, names: RegExp][] = [
    ['tool write {', /"tool write \{".*JSON/],
    ['tool write [1]', /JSON object/],
    ['edit a.txt only old', /" => "/],
    ['say-many none', /"none"/],
    ['fail 200', /"200"/],
    ['write', /path is missing/],
    ['+ read a.txt', /joins a tool call/],
    ['say first\nfail 500', /fail must be the first/],
  ];
  for (const [script, names] of wrong) {
    it(`rejects ${JSON.stringify(script)} and names the error`, () => {
      assert.throws(
        () => parseScript(script),
        (error: unknown) => error instanceof ScriptError && names.test(error.message),
      );
    });
  }

  it('accepts any text, or throws a ScriptError', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('say ', 'tool ', 'edit a => b', '+ ', 'fail'))),
        (lines) => {
          try {
            parseScript(lines.join('\n'));
          } catch (error) {
            assert.ok(error instanceof ScriptError, String(error));
          }
        },
      ),
    );
  });
});

describe('the minimal answer to an auxiliary request', () => {
  it('is valid for the requested schema', () => {
    const schema = {
      type: 'object',
      required: ['title', 'kind', 'score', 'done', 'tags', 'inner'],
      properties: {
        title: { type: 'string' },
        kind: { enum: ['a', 'b'] },
        score: { type: 'number', minimum: 3 },
        done: { type: ['boolean', 'null'] },
        tags: { type: 'array', minItems: 2, items: { const: 'x' } },
        inner: { anyOf: [{ type: 'object', properties: { optional: { type: 'string' } } }, { type: 'null' }] },
      },
    };
    assert.deepEqual(minimalValue(schema), {
      title: 'Scripted title',
      kind: 'a',
      score: 3,
      done: false,
      tags: ['x', 'x'],
      inner: {},
    });
  });
});

describe('the scripted model server', () => {
  let server: ModelServer;

  beforeEach(async () => {
    server = await startModelServer();
  });

  afterEach(async () => {
    await server.close();
  });

  async function post(messages: readonly Message[], more: Message = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODELS.main, stream: true, messages, tools: TOOLS, ...more }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** The events of a stream; the last one must be [DONE]. */
  async function chunks(response: Response): Promise<Chunk[]> {
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    const events = (await response.text()).split('\n\n');
    assert.equal(events.pop(), '');
    assert.equal(events.pop(), 'data: [DONE]');
    return events.map((event) => JSON.parse(event.replace(/^data: /, '')) as Chunk);
  }

  function said(parts: readonly Chunk[], field: 'content' | 'reasoning_content' = 'content'): string {
    return parts.map((part) => part.choices[0]?.delta[field] ?? '').join('');
  }

  function calls(parts: readonly Chunk[]): { name: string; args: unknown; id: string }[] {
    return parts
      .flatMap((part) => part.choices[0]?.delta.tool_calls ?? [])
      .map((call) => ({ name: call.function.name, args: JSON.parse(call.function.arguments) as unknown, id: call.id }));
  }

  it('streams thoughts and text in pieces, then the end, usage and [DONE]', async () => {
    const parts = await chunks(await post([user('think It is easy.\nsay Here is a longer answer\\nof two lines.')]));
    assert.equal(said(parts, 'reasoning_content'), 'It is easy.');
    assert.equal(said(parts), 'Here is a longer answer\nof two lines.\n\nFINAL ok: no tool was called');
    assert.ok(parts.filter((part) => part.choices[0]?.delta.content).length > 3, 'the text came in one piece');
    assert.equal(parts.at(-2)?.choices[0]?.finish_reason, 'stop');
    assert.deepEqual(parts.at(-1)?.usage, { prompt_tokens: 1200, completion_tokens: 34, total_tokens: 1234 });
  });

  it('plays tool calls turn by turn and ends with the last result', async () => {
    const script = 'write notes.txt hello\\n\n+ read notes.txt\nedit notes.txt hello => bye\nshell ls';
    const history = [user(script)];
    const first = await chunks(await post(history));
    assert.deepEqual(
      calls(first).map(({ name, args }) => ({ name, args })),
      [
        { name: 'write', args: { filePath: 'notes.txt', content: 'hello\n' } },
        { name: 'read', args: { filePath: 'notes.txt' } },
      ],
    );
    assert.equal(first.at(-2)?.choices[0]?.finish_reason, 'tool_calls');
    history.push(...toolTurn('written'));
    const second = await chunks(await post(history));
    assert.deepEqual(calls(second)[0]?.args, { filePath: 'notes.txt', oldString: 'hello', newString: 'bye' });
    history.push(...toolTurn('edited'));
    const third = await chunks(await post(history));
    assert.equal(calls(third)[0]?.name, 'bash');
    history.push(...toolTurn(`from the shell ${'x'.repeat(300)}`));
    const last = await chunks(await post(history));
    assert.equal(said(last), `FINAL ok: ${`from the shell ${'x'.repeat(300)}`.slice(0, 200)}`);
    const ids = [first, second, third].flatMap((parts) => calls(parts).map((call) => call.id));
    assert.equal(new Set(ids).size, 4, `ids repeat: ${ids.join(', ')}`);
  });

  it('plays the last user prompt from its beginning, with new call ids', async () => {
    const old = [user('read a.txt'), ...toolTurn('old result'), { role: 'assistant', content: 'FINAL ok: old result' }];
    const before = calls(await chunks(await post([user('read a.txt')])));
    const parts = await chunks(await post([...old, user([{ type: 'text', text: 'read b.txt' }])]));
    assert.deepEqual(calls(parts)[0]?.args, { filePath: 'b.txt' });
    assert.notEqual(calls(parts)[0]?.id, before[0]?.id);
  });

  it('answers in one response if no stream is requested', async () => {
    const response = await post([user('say Hello.\ntool anything {"a":1}')], { stream: false });
    const body = (await response.json()) as { choices: { message: Message; finish_reason: string }[] };
    assert.deepEqual(body.choices[0], {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'Hello.',
        tool_calls: [{ id: 'call_1_1_1', type: 'function', function: { name: 'anything', arguments: '{"a":1}' } }],
      },
    });
  });

  it('streams many chunks without loss', async () => {
    const parts = await chunks(await post([user('say-many 3000 400')]));
    const expected = Array.from({ length: 3000 }, (_, index) => manyChunk(index, 400)).join('');
    assert.equal(said(parts).slice(0, expected.length), expected);
    assert.equal(expected.length, 3000 * 400);
  });

  it('answers an auxiliary request without playing the script', async () => {
    const title = await chunks(await post([user('Make a title of:\nwrite a.txt b')], { model: MODELS.small }));
    assert.equal(said(title), 'Scripted title');
    const format = {
      type: 'json_schema',
      json_schema: { name: 'x', schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } },
    };
    const structured = await chunks(await post([user('write a.txt b')], { response_format: format }));
    assert.equal(said(structured), '{"n":0}');
  });

  it('lists its models', async () => {
    const body = (await (await fetch(`${server.url}/v1/models`)).json()) as { data: { id: string }[] };
    assert.deepEqual(
      body.data.map((model) => model.id),
      ['scripted', 'scripted-2', 'scripted-small'],
    );
  });

  it('reports invalid directives in its answer', async () => {
    const none = said(await chunks(await post([user('Please help me.')])));
    assert.match(none, /^FINAL failed: no directive in the prompt; there are say, say-many/);
    const broken = said(await chunks(await post([user('tool write {')])));
    assert.match(broken, /^FINAL failed: "tool write \{"/);
    const unknown = said(await chunks(await post([user('shell ls')], { tools: TOOLS.slice(0, 2) })));
    assert.equal(unknown, 'FINAL failed: no known tool for "shell" among the tools offered: read, write');
  });

  it('names the error in a request', async () => {
    const response = await post([user('say x')], { messages: 'none' });
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), { error: { message: 'messages must be an array' } });
    const lost = await fetch(`${server.url}/v2/unknown`, { method: 'POST', body: 'no json' });
    assert.equal(lost.status, 404);
    assert.deepEqual(
      server.requests.map(({ path, status, body }) => [path, status, typeof body]),
      [
        ['/v1/chat/completions', 400, 'object'],
        ['/v2/unknown', 404, 'string'],
      ],
    );
  });

  it('fails with the status of the script, even after a tool call', async () => {
    const response = await post([user('read a.txt\nfail 429'), ...toolTurn('x')]);
    assert.equal(response.status, 429);
    const body = (await response.json()) as { error: { message: string } };
    assert.match(body.error.message, /429/);
  });

  it('waits at a pause until it is released', async () => {
    const response = await post([user('say Before.\npause middle\nsay After.')]);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    await server.reached('middle');
    let heard = '';
    while (!heard.includes('Before.')) heard += (await reader.read()).value ?? '';
    assert.ok(!heard.includes('After.'));
    assert.equal(server.requests[0]?.outcome, 'open');
    server.release('middle');
    for (let part = await reader.read(); !part.done; part = await reader.read()) heard += part.value;
    assert.ok(heard.includes('After.') && heard.includes('[DONE]'));
  });

  it('records that the client closed the connection at a pause or hang', async () => {
    for (const directive of ['pause here', 'hang']) {
      const abort = new AbortController();
      const count = server.requests.length;
      const response = await post([user(`say Before.\n${directive}`)], {}, abort.signal);
      abort.abort();
      await assert.rejects(response.text());
      await untilOutcome(count, 'closedByClient');
    }
  });

  it('closes the connection in the middle of the answer', async () => {
    const response = await post([user('say Before.\ndrop')]);
    let heard = '';
    await assert.rejects(async () => {
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) heard += part;
    });
    assert.ok(heard.includes('Before.'), heard);
    assert.equal(server.requests[0]?.outcome, 'cut');
  });

  it('resolves waits for a request, also for an earlier one', async () => {
    const waiting = server.waitForRequest((request) => request.model?.prompt === 'say now');
    await (await post([user('say now')])).text();
    assert.equal((await waiting).path, '/v1/chat/completions');
    assert.equal(await server.waitForRequest((request) => request.model?.prompt === 'say now'), await waiting);
  });

  it('closes in the middle of an answer and rejects pending waits', async () => {
    const response = await post([user('say Before.\nhang')]);
    const request = assert.rejects(
      server.waitForRequest(() => false),
      /closed after 1 requests/,
    );
    const gate = assert.rejects(server.reached('never'), /closed after 1 requests/);
    await server.close();
    await assert.rejects(response.text());
    await Promise.all([request, gate]);
    await server.close();
  });

  /** The server detects the end of the connection a moment after the client. */
  async function untilOutcome(index: number, outcome: string): Promise<void> {
    await until(() => server.requests[index]?.outcome === outcome);
  }
});
