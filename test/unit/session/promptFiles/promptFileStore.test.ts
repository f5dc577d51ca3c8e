import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Emitter } from '../../../../src/base/event';
import { nullLogger } from '../../../../src/base/logger';
import type { Logger } from '../../../../src/base/logger';
import { expandPrompt, renderPrompt, promptHint } from '../../../../src/session/promptFiles/expandPrompt';
import type { PromptFile } from '../../../../src/session/promptFiles/promptFile';
import { MAX_PROMPT_FILE, parsePromptFile } from '../../../../src/session/promptFiles/promptFile';
import { PromptFileStore } from '../../../../src/session/promptFiles/promptFileStore';
import { slashCommands } from '../../../../src/shared/protocol/slashCommands';
import { lastEntry } from '../../../../src/shared/state/entryPages';
import { SessionBench } from '../sessionBench';

const read = (...lines: string[]): PromptFile => parsePromptFile('/w/.parley/prompts/review.md', lines.join('\n'));
const problem = (...lines: string[]): string => {
  try {
    read(...lines);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

describe('a prompt file', () => {
  it('has the name of its file, and consists of text without front matter', () => {
    assert.deepEqual(read('Look at it.', '', '---', 'More.'), {
      name: 'review',
      path: '/w/.parley/prompts/review.md',
      description: '',
      arguments: [],
      body: 'Look at it.\n\n---\nMore.',
    });
    assert.equal(parsePromptFile('C:\\w\\.github\\prompts\\Plan it.prompt.md'.replace(' ', '-'), 'x').name, 'Plan-it');
  });

  it('has a limited number of arguments, with names of a limited length', () => {
    const named = Array.from({ length: 101 }, (_, index) => `\${input:a${index}}`).join(' ');
    assert.equal(problem(named), 'it has more than 100 arguments');
    assert.equal(
      problem('---', `arguments: [${named.replaceAll(/\W+input:|\}/g, ',')}]`, '---', 'x'),
      'it has more than 100 arguments',
    );
    // Without a limit, each opening would be read to the end of the file.
    assert.deepEqual(read(`\${input:${'a'.repeat(101)}}`).arguments, []);
  });

  it('defines its name, description, hint and arguments, in every form of YAML', () => {
    const file = read(
      '---',
      '# for us',
      'name: "check"',
      "description: 'It''s a check' # said so",
      'mode: agent',
      'tools: ["a", {"b": [1,',
      '   2]}]',
      'model: { name: x }',
      'argument-hint: [path] [level]',
      'arguments:',
      '  - name: path',
      '    description: What to check',
      '  - name: level',
      '    required: false',
      '  - who',
      '---',
      '',
      'Body.',
    );
    assert.deepEqual(
      { ...file, path: '' },
      {
        name: 'check',
        path: '',
        description: "It's a check",
        hint: '[path] [level]',
        arguments: [
          { name: 'path', description: 'What to check', required: true },
          { name: 'level', required: false },
          { name: 'who', required: true },
        ],
        body: 'Body.',
      },
    );
    assert.deepEqual(
      read('---', 'arguments: [a, "b"]', 'description: >', '  Two', '  lines', '---', 'x').arguments.map(
        ({ name }) => name,
      ),
      ['a', 'b'],
    );
    assert.equal(read('---', 'description: >-', '  Two', '  lines', '---', 'x').description, 'Two lines');
  });

  it('has arguments that only its text uses', () => {
    const file = read('---', 'arguments: [who]', '---', 'Tell ${input:who} about ${input:what:a subject} and ${file}.');
    assert.deepEqual(file.arguments, [
      { name: 'who', required: true },
      { name: 'what', description: 'a subject', required: true },
    ]);
    assert.equal(promptHint(file), '<who> <what>');
  });

  it('is read at once, whatever its lines have, and its texts are limited', () => {
    const blanks = ' '.repeat(100_000);
    for (const end of ['x\ry', 'x\u2028y', '#\ry', `${' #'.repeat(50_000)}\ry`]) {
      read('---', `description:${blanks}${end}`, '---', 'x');
      assert.match(problem('---', 'arguments:', '- a', `${blanks}x${end}`, '---', 'x'), /^line 2: /);
    }
    const { description, hint } = read(
      '---',
      `description: ${'d'.repeat(9_000)}`,
      `argument-hint: ${'h'.repeat(9_000)}`,
      '---',
      'x',
    );
    assert.deepEqual([description.length, hint?.length], [1_000, 1_000]);
    assert.ok(problem('---', 'y'.repeat(9_000), '---', 'x').length < 400);
    assert.ok(problem('---', `name: ${'y '.repeat(9_000)}`, '---', 'x').length <= 1_000);
  });

  it('reports errors with their position', () => {
    assert.match(problem('---', 'name: x'), /line 1: .*has no closing “---”/);
    assert.match(problem('---', 'description: fine', 'what is this', '---', 'x'), /line 3: expected “name: value”/);
    assert.match(problem('---', 'description: "open', '---', 'x'), /line 2: the quotation mark/);
    assert.match(problem('---', 'description: {a: b}', '---', 'x'), /line 2: .*quotation marks/);
    assert.match(problem('---', 'name: two words', '---', 'x'), /“two words” must be one word/);
    assert.match(problem('---', 'name: a/b', '---', 'x'), /“a\/b” must be one word/);
    assert.match(problem('---', 'arguments: [a, a]', '---', 'x'), /“a” is listed twice/);
    assert.match(
      problem('---', 'arguments:', '  - description: no name', '---', 'x'),
      /an argument name must consist of/,
    );
    assert.match(problem('---', 'arguments:', '  - name: a', '    required: perhaps', '---', 'x'), /true or false/);
    assert.match(problem('---', 'arguments: [a', '---', 'x'), /must end on the same line/);
    assert.match(problem('---', 'name: x', '---', '  '), /no text below/);
    assert.match(problem('x'.repeat(MAX_PROMPT_FILE + 1)), /larger than 256 KB/);
  });

  it('is read, or rejected with a message, whatever it contains', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '---',
        'name: x',
        'arguments:',
        '  - name: a',
        '- b',
        'description: |',
        '  text',
        "arguments: ['",
      ),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const said = problem('---', ...lines);
        assert.doesNotMatch(said, /undefined|object Object|not a function|Cannot read/);
      }),
    );
  });
});

describe('the text of a prompt', () => {
  const greet = read('---', 'arguments: [who, what]', '---', 'Tell ${input:who}: ${input:what}.');

  it('fills arguments by order, by name and with quotes, and the last one with the rest', () => {
    assert.equal(expandPrompt(greet, 'Ada hello'), 'Tell Ada: hello.');
    assert.equal(expandPrompt(greet, '"Ada L." hello to you all'), 'Tell Ada L.: hello to you all.');
    assert.equal(expandPrompt(greet, 'what="good \\"day\\"" Ada'), 'Tell Ada: good "day".');
    assert.equal(expandPrompt(greet, "what='a b' who=Ada"), 'Tell Ada: a b.');
    assert.equal(expandPrompt(greet, 'a=b "open'), 'Tell a=b: "open.');
  });

  it('contains placeholders for single words and for the whole input', () => {
    const file = read('First $1, then $2; all: $ARGUMENTS. Costs $10, $HOME.');
    assert.equal(
      expandPrompt(file, ' one "two three" '),
      'First one, then two three; all: one "two three". Costs $10, $HOME.',
    );
    assert.equal(expandPrompt(file, ''), 'First , then ; all: . Costs $10, $HOME.');
  });

  it('repeats no long argument until the text has no end', () => {
    const often = read('$1'.repeat(100_000), 'and $ARGUMENTS');
    assert.equal(expandPrompt(often, 'x y').length, 100_000 + '\nand x y'.length);
    assert.throws(() => expandPrompt(often, 'x'.repeat(500)), { message: '/review repeats its arguments too often' });
  });

  it('is followed by the input if it has no placeholder', () => {
    assert.equal(expandPrompt(read('Review this.'), 'only src'), 'Review this.\n\nonly src');
    assert.equal(expandPrompt(read('Review this.'), ' '), 'Review this.');
  });

  it('reports a missing argument and how to write it', () => {
    assert.throws(() => expandPrompt(greet, 'Ada'), {
      message: 'Provide a value for “what”',
      nextStep: 'Usage: /review <who> <what>',
    });
    assert.throws(() => renderPrompt(greet, {}), { message: 'Provide a value for “who” and “what”' });
    const optional = read('---', 'arguments:', '  - name: who', '    required: false', '---', 'For ${input:who}!');
    assert.equal(expandPrompt(optional, ''), 'For !');
  });

  it('replaces each placeholder once, and none in the values', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (who, what) => {
        fc.pre(who !== '' && what !== '');
        assert.equal(renderPrompt(greet, { who, what }), `Tell ${who}: ${what}.`);
      }),
    );
    assert.equal(expandPrompt(greet, '${input:what} $ARGUMENTS'), 'Tell ${input:what}: $ARGUMENTS.');
  });
});

class Files {
  readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  files: Record<string, string>;

  constructor(files: Record<string, string>) {
    this.files = files;
  }

  list(): Promise<string[]> {
    return Promise.resolve(Object.keys(this.files));
  }

  read(path: string): Promise<string> {
    const text = this.files[path];
    return text === undefined ? Promise.reject(new Error('EACCES: permission denied')) : Promise.resolve(text);
  }

  label(path: string): string {
    return path.replace('/w/', '');
  }
}

async function promptsOf(files: Files, log: Logger = nullLogger): Promise<PromptFileStore> {
  const prompts = new PromptFileStore(files, log);
  await prompts.ready();
  return prompts;
}

describe('the user’s prompts', function () {
  const command = (name: string): { name: string; description: string } => ({ name, description: 'of the agent' });

  it('are commands; on a name conflict, the agent’s command has priority and theirs begins with user:', async () => {
    const prompts = await promptsOf(
      new Files({ '/w/a.md': '---\ndescription: Ours\n---\nDo $1.', '/w/plan.md': 'Plan.' }),
    );
    assert.deepEqual(prompts.commands(), [
      { name: 'a', description: 'Ours' },
      { name: 'plan', description: 'plan.md' },
    ]);
    assert.deepEqual(
      slashCommands([command('plan')], prompts.commands()).map(({ name }) => name),
      ['plan', 'a', 'user:plan'],
    );
    assert.equal(prompts.expand('/a it', [])?.text, 'Do it.');
    assert.equal(prompts.expand('/plan', [command('plan')]), undefined);
    assert.equal(prompts.expand('/user:plan', [command('plan')])?.text, 'Plan.');
    assert.equal(prompts.expand('/user:plan', [])?.text, 'Plan.');
    assert.equal(prompts.expand('/user:plan', [command('user:plan')]), undefined);
    for (const text of ['/planning', 'plan', '/', '/w/a.md', ' see /plan'])
      assert.equal(prompts.expand(text, []), undefined);
  });

  it('report an unusable file in the completion list and in the log', async () => {
    const said: string[] = [];
    const log = { ...nullLogger, warn: (_: unknown, message: string) => void said.push(message) };
    const prompts = await promptsOf(
      new Files({ '/w/bad.md': '---\nname: two words\n---\nx', '/w/two.md': 'x', '/w/sub/two.md': 'y' }),
      log,
    );
    assert.match(prompts.commands()[0]?.description ?? '', /^Cannot be used: the name “two words”/);
    assert.throws(() => prompts.expand('/bad', []), {
      message: 'bad.md: the name “two words” must be one word without “/” and “:”',
    });
    assert.equal(prompts.expand('/two', [])?.text, 'x');
    assert.match(said.join('\n'), /Failed to read prompt file bad\.md: the name/);
    assert.match(said.join('\n'), /Skipped prompt file .*sub\/two\.md: two\.md has its name/);
  });

  it('are updated with their files; the latest read wins', async () => {
    const files = new Files({ '/w/a.md': 'One.' });
    const prompts = await promptsOf(files);
    let changes = 0;
    prompts.onDidChange(() => changes++);
    files.files = { '/w/b.md': 'Two.' };
    files.changed.fire();
    files.files = { '/w/c.md': 'Three.' };
    files.changed.fire();
    await prompts.ready();
    assert.deepEqual([prompts.commands().map(({ name }) => name), changes], [['c'], 1]);
    prompts.dispose();
    files.changed.fire();
    assert.equal(changes, 1);
  });

  it('are sent to the agent as text; the transcript has both, without the echo of the text', async () => {
    const echo = JSON.stringify({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'text hi' } });
    const prompts = await promptsOf(new Files({ '/w/say.md': `text hi $1\nsession-update ${echo}`, '/w/bad.md': '' }));
    const bench = await SessionBench.open({ sessions: { prompts } });
    await bench.send('/say Ada');
    const sent = bench.received().find(({ method }) => method === 'session/prompt');
    assert.match(JSON.stringify(sent), /"text":"text hi Ada\\n/);
    const user = bench.session.state.entries.pages[0]?.[0];
    assert.ok(user?.kind === 'user');
    assert.deepEqual(
      [user.text, user.expansion?.label, user.expansion?.text.split('\n')[0]],
      ['/say Ada', 'say.md', 'text hi Ada'],
    );
    assert.equal(bench.text.match(/\[user\]/g)?.length, 1);
    assert.equal(bench.session.state.title, '/say Ada');
    await bench.send('/bad thing');
    const last = lastEntry(bench.session.state.entries);
    assert.ok(last?.kind === 'notice');
    assert.equal(bench.session.state.queue.messages[0]?.text, '/bad thing');
    assert.match(last.title, /^Not sent: bad\.md: there is no text/);
    await bench.close();
  });
});
