import assert from 'node:assert/strict';
import { standing } from '../../agents/forms/conversation';
import type { ModelServer } from '../../agents/modelServer';
import { startModelServer } from '../../agents/modelServer';
import { toolCallFor } from '../../agents/toolForms';

type Json = Readonly<Record<string, unknown>>;

const SCRIPT = 'think Hm.\nsay Hello there, reader.\nread /w/a.txt\n+ read /w/b.txt';

/** What a client of each wire format does: one table, so that the three formats are tested alike. */
interface Form {
  readonly name: string;
  readonly path: (stream: boolean) => string;
  /** The request body after `history`. */
  readonly body: (history: readonly Step[], stream: boolean) => Json;
  /** The text of an event stream, or of a complete response. */
  readonly heard: (events: readonly Json[]) => Heard;
  readonly heardWhole: (body: Json) => Heard;
}

type Step = { readonly user: string } | { readonly calls: readonly string[]; readonly results: readonly string[] };

interface Heard {
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly { id: string; name: string; args: unknown }[];
}

const PARAMETERS = { type: 'object', properties: { file_path: { type: 'string' } } };

const anthropic: Form = {
  name: 'anthropic messages',
  path: () => '/anthropic/v1/messages',
  body: (history, stream) => ({
    model: 'any',
    stream,
    max_tokens: 100,
    tools: [{ name: 'Read', input_schema: PARAMETERS }],
    messages: history.flatMap((step) =>
      'user' in step
        ? [
            {
              role: 'user',
              content: [
                { type: 'text', text: `<system-reminder>\nread this\n</system-reminder>` },
                { type: 'text', text: step.user },
              ],
            },
          ]
        : [
            { role: 'assistant', content: step.calls.map((id) => ({ type: 'tool_use', id, name: 'Read', input: {} })) },
            {
              role: 'user',
              content: step.results.map((content, i) => ({ type: 'tool_result', tool_use_id: step.calls[i], content })),
            },
            { role: 'system', content: [{ type: 'text', text: 'say nothing' }] },
          ],
    ),
  }),
  heard: (events) => {
    const deltas = events.filter((event) => event['type'] === 'content_block_delta');
    const of = (kind: string): string =>
      deltas.map((event) => (event['delta'] as Record<string, string>)[kind] ?? '').join('');
    const starts = events.filter((event) => event['type'] === 'content_block_start');
    const calls = starts.filter((event) => (event['content_block'] as Json)['type'] === 'tool_use');
    return {
      text: of('text'),
      thought: of('thinking'),
      calls: calls.map((event) => {
        const input = deltas
          .filter((delta) => delta['index'] === event['index'])
          .map((delta) => (delta['delta'] as Record<string, string>)['partial_json'] ?? '');
        const block = event['content_block'] as { id: string; name: string };
        return { id: block.id, name: block.name, args: JSON.parse(input.join('')) as unknown };
      }),
    };
  },
  heardWhole: (body) => {
    const blocks = body['content'] as readonly Record<string, string>[];
    const of = (type: string, key: string): string =>
      blocks
        .filter((b) => b['type'] === type)
        .map((b) => b[key])
        .join('');
    const calls = blocks.filter((block) => block['type'] === 'tool_use');
    return {
      text: of('text', 'text'),
      thought: of('thinking', 'thinking'),
      calls: calls.map((block) => ({ id: block['id']!, name: block['name']!, args: block['input'] })),
    };
  },
};

const responses: Form = {
  name: 'openai responses',
  path: () => '/v1/responses',
  body: (history, stream) => ({
    model: 'any',
    stream,
    tools: [{ type: 'function', name: 'read_file', parameters: PARAMETERS }, { type: 'web_search' }],
    input: history.flatMap((step): Json[] =>
      'user' in step
        ? [
            { type: 'message', role: 'user', content: [{ type: 'input_text', text: step.user }] },
            {
              type: 'message',
              role: 'user',
              content: [{ type: 'input_text', text: '<environment_context>\nread it\n</environment_context>' }],
            },
          ]
        : step.calls.flatMap((call_id, i) => [
            { type: 'function_call', call_id, name: 'read_file', arguments: '{}' },
            { type: 'function_call_output', call_id, output: step.results[i] },
          ]),
    ),
  }),
  heard: (events) => {
    const of = (type: string): string =>
      events
        .filter((event) => event['type'] === type)
        .map((event) => event['delta'])
        .join('');
    const completed = events.at(-1)!;
    assert.equal(completed['type'], 'response.completed');
    const whole = responses.heardWhole(completed['response'] as Json);
    const heard = {
      ...whole,
      text: of('response.output_text.delta'),
      thought: of('response.reasoning_summary_text.delta'),
    };
    assert.deepEqual(heard, whole, 'what was streamed is not what the completed response says');
    return heard;
  },
  heardWhole: (body) => {
    const items = body['output'] as readonly Json[];
    const texts = (type: string, key: string): string =>
      items
        .filter((item) => item['type'] === type)
        .flatMap((item) => item[key] as { text: string }[])
        .map((part) => part.text)
        .join('');
    const calls = items.filter((item) => item['type'] === 'function_call');
    return {
      text: texts('message', 'content'),
      thought: texts('reasoning', 'summary'),
      calls: calls.map(({ call_id: id, name, arguments: args }) => ({
        id: String(id),
        name: String(name),
        args: JSON.parse(String(args)) as unknown,
      })),
    };
  },
};

interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { id: string; name: string; args: unknown };
}

const geminiForm: Form = {
  name: 'gemini',
  path: (stream) => `/gemini/v1beta/models/any:${stream ? 'streamGenerateContent' : 'generateContent'}`,
  body: (history) => ({
    tools: [{ functionDeclarations: [{ name: 'read_file', parametersJsonSchema: PARAMETERS }] }],
    contents: history.flatMap((step): Json[] =>
      'user' in step
        ? [{ role: 'user', parts: [{ text: step.user }] }]
        : [
            { role: 'model', parts: step.calls.map((id) => ({ functionCall: { id, name: 'read_file', args: {} } })) },
            {
              role: 'user',
              parts: step.results.map((output) => ({ functionResponse: { name: 'read_file', response: { output } } })),
            },
          ],
    ),
  }),
  heard: (events) => geminiParts(events),
  heardWhole: (body) => geminiParts([body]),
};

function geminiParts(bodies: readonly Json[]): Heard {
  const candidates = bodies.flatMap(
    (body) => body['candidates'] as { content: { parts: GeminiPart[] }; finishReason?: string }[],
  );
  assert.equal(candidates.at(-1)?.finishReason, 'STOP');
  const parts = candidates.flatMap((candidate) => candidate.content.parts);
  const of = (thought: boolean): string =>
    parts
      .filter((part) => (part.thought ?? false) === thought)
      .map((part) => part.text ?? '')
      .join('');
  return { text: of(false), thought: of(true), calls: parts.flatMap((part) => part.functionCall ?? []) };
}

for (const form of [anthropic, responses, geminiForm]) {
  describe(`the form ${form.name}`, () => {
    let server: ModelServer;
    beforeEach(async () => {
      server = await startModelServer();
    });
    afterEach(() => server.close());

    const send = async (history: readonly Step[], stream: boolean): Promise<Heard> => {
      const response = await fetch(`${server.url}${form.path(stream)}`, {
        method: 'POST',
        body: JSON.stringify(form.body(history, stream)),
      });
      assert.equal(response.status, 200);
      if (!stream) return form.heardWhole((await response.json()) as Json);
      const data = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
      return form.heard(data.map((line) => JSON.parse(line.slice(6)) as Json));
    };

    for (const stream of [true, false]) {
      it(`plays a thought, text, two calls and the end, ${stream ? 'streamed' : 'in one response'}`, async () => {
        const first = await send([{ user: SCRIPT }], stream);
        assert.equal(first.thought, 'Hm.');
        assert.equal(first.text, 'Hello there, reader.');
        assert.deepEqual(
          first.calls.map((call) => call.args),
          [{ file_path: '/w/a.txt' }, { file_path: '/w/b.txt' }],
        );
        const calls = first.calls.map((call) => call.id);
        assert.equal(new Set(calls).size, 2);
        const last = await send([{ user: SCRIPT }, { calls, results: ['A', 'the last result'] }], stream);
        assert.equal(last.text, 'FINAL ok: the last result');
        assert.deepEqual(last.calls, []);
      });
    }

    it('plays the last prompt, not an earlier one', async () => {
      const heard = await send(
        [{ user: SCRIPT }, { calls: ['call_1_1_1', 'call_1_1_2'], results: ['A', 'B'] }, { user: 'say Second.' }],
        true,
      );
      assert.equal(heard.text, 'Second.\n\nFINAL ok: no tool was called');
    });
  });
}

describe('the position in a script', () => {
  it('ignores messages that agents add to the prompt', () => {
    const text = 'say one';
    const added = { role: 'user', text: '<session_context>\nwrite this\n</session_context>' } as const;
    assert.equal(
      standing([{ role: 'user', text }, { role: 'call', turn: '1' }, { role: 'result', text: 'r' }, added]).prompt,
      text,
    );
    assert.equal(standing([added]).prompt, '');
  });
});

describe('the tool that matches a purpose', () => {
  const wish = { purpose: 'edit', path: '/a', oldText: 'x', newText: 'y' } as const;
  const edits: [agent: string, parameters: string[]][] = [
    ['opencode', ['filePath', 'oldString', 'newString']],
    ['qwen', ['file_path', 'old_string', 'new_string']],
    ['copilot', ['path', 'old_str', 'new_str']],
  ];
  for (const [agent, parameters] of edits) {
    it(`is identified by its parameters: edit of ${agent}`, () => {
      assert.deepEqual(Object.keys(toolCallFor(wish, [{ name: 'edit', parameters }]).args), parameters);
    });
  }

  it('is a patch if the tool accepts text', () => {
    const { input } = toolCallFor(wish, [{ name: 'apply_patch', parameters: undefined }]);
    assert.equal(input, '*** Begin Patch\n*** Update File: /a\n@@\n-x\n+y\n*** End Patch\n');
  });

  it('lists the available tools if none matches', () => {
    assert.throws(() => toolCallFor(wish, [{ name: 'edit', parameters: ['other'] }]), /edit\(other\)/);
  });
});
