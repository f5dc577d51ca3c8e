import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { readAgents } from '../../src/agent/agentSettings';
import { DEPTH_LIMIT, limitDepth, readCut } from '../../src/agent/incoming';
import { LineDecoder, parseMessage } from '../../src/agent/lines';
import { parseIndex } from '../../src/agent/registry/parseIndex';
import { RpcError } from '../../src/base/rpc';
import { Redactor } from '../../src/base/redact';
import type { SettingProblem } from '../../src/base/settings';
import { plainSettings, readPlainSettings } from '../../src/base/settings';
import { parseElicitation } from '../../src/client/elicitationParams';
import { checkShape, isWithin } from '../../src/client/paths';
import { readPosix } from '../../src/session/rules/shell/posix';
import { readPowerShell } from '../../src/session/rules/shell/powershell';
import { fieldProblem } from '../../src/shared/elicitation';
import type { FieldValue } from '../../src/shared/elicitation';
import { parseRecording } from '../../src/shared/recording';
import { TerminalModel, textOf } from '../../src/shared/screen/model';
import type { Line } from '../../src/shared/screen/line';
import { parsePageMessage } from '../../src/view/pageMessages';
import { replayTraffic } from '../replay/player';
import { render } from '../replay/render';
import type { Action } from '../../src/shared/actions';

import { edited, edits, hostileText, hostileValue } from './hostile';
import { agentMessages, recordings } from './recordings';
import type { Target } from './target';
import { anyInput } from './target';

const NAMES = [...recordings.keys()];

/** A whole recording with some messages changed, through the session's model; replayed from its actions it is the same (I1). */
const sessions: Target = {
  name: 'sessions',
  property: () =>
    anyInput(
      fc.property(
        fc.constantFrom(...NAMES),
        fc.array(fc.tuple(fc.nat(500), edits), { maxLength: 6 }),
        (name, changes) => {
          const records = [...(recordings.get(name) ?? [])];
          for (const [at, change] of changes) {
            const index = at % records.length;
            const record = records[index];
            if (record?.dir !== 'in') continue;
            const msg = edited(record.msg, change);
            if (typeof msg === 'object' && msg !== null && !Array.isArray(msg))
              records[index] = { ...record, msg: { ...msg } };
          }
          const actions: Action[] = [];
          const state = replayTraffic(records, actions);
          assert.equal(typeof render(state), 'string');
          assert.deepEqual(replayTraffic([], structuredClone(actions), true), state);
          // It goes to the page as JSON.
          assert.deepEqual(JSON.parse(JSON.stringify(state)), JSON.parse(JSON.stringify(structuredClone(state))));
        },
      ),
    ),
};

/** Bytes of messages, damaged and cut anywhere: no exception, and every whole message comes out. */
const lines: Target = {
  name: 'lines',
  property: () =>
    anyInput(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...agentMessages), edits, fc.constantFrom('\n', '\r\n', '')), {
          maxLength: 5,
        }),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
        fc.integer({ min: 1, max: 5_000 }),
        (messages, damage, chunk) => {
          const text = messages.map(([message, change, end]) => JSON.stringify(edited(message, change)) + end).join('');
          const bytes = Buffer.from(text);
          for (const [at, byte] of damage) if (bytes.length > 0) bytes[at % bytes.length] = byte;
          let length = 0;
          const decoder = new LineDecoder({
            limit: 20_000,
            onLine: (line, size) => {
              length += size;
              const message = parseMessage(line);
              if (message) limitDepth(message);
            },
            onDropped: (line) => {
              length += line.bytes;
              readCut(line);
            },
          });
          for (let at = 0; at < bytes.length; at += chunk) decoder.push(bytes.subarray(at, at + chunk));
          decoder.end();
          assert.equal(length, bytes.filter((byte) => byte !== 10).length);
        },
      ),
    ),
};

/** Deep messages lose what is too deep and nothing else. */
const depth: Target = {
  name: 'depth',
  property: () =>
    anyInput(
      fc.property(
        fc.constantFrom(...agentMessages),
        fc.nat(3_000),
        fc.array(edits, { maxLength: 1 }),
        (message, levels, [change]) => {
          let deep: unknown = 1;
          for (let level = 0; level < levels; level++) deep = level % 3 === 0 ? { a: deep } : [deep];
          const whole = { ...(edited(message, change ?? []) as object), deep };
          limitDepth(whole);
          JSON.stringify(whole);
          new Redactor().value(whole);
          assert.equal(JSON.stringify(whole).includes('levels deep'), levels >= DEPTH_LIMIT);
        },
      ),
    ),
};

const PAGE_TYPES = [
  'ready',
  'ack',
  'send',
  'stop',
  'answerPermission',
  'chooseOption',
  'openFile',
  'openLink',
  'answerElicitation',
  'copy',
];

const page: Target = {
  name: 'page messages',
  property: () =>
    anyInput(
      fc.property(
        fc.constantFrom(...PAGE_TYPES),
        fc.dictionary(
          fc.constantFrom(
            'text',
            'seq',
            'id',
            'value',
            'path',
            'line',
            'href',
            'permissionId',
            'optionId',
            'elicitationId',
            'answer',
          ),
          hostileValue,
        ),
        edits,
        (type, fields, change) => {
          const parsed = parsePageMessage(edited({ type, ...fields }, change));
          assert.ok('message' in parsed !== 'problem' in parsed);
          if ('problem' in parsed) assert.ok(parsed.problem.length < 300, 'a sentence for the log');
          else assert.deepEqual(parsePageMessage(parsed.message), parsed, 'what was taken is taken again as it is');
        },
      ),
    ),
};

const AGENTS = {
  One: { command: 'node', args: ['a'], env: { A: '${env:HOME}' }, cwd: '/workspace' },
  Two: { type: 'http', url: 'https://x.test/acp', headers: { A: '${input:key}' } },
};

const settings: Target = {
  name: 'settings',
  property: () =>
    anyInput(
      fc.property(
        edits,
        fc.boolean(),
        fc.dictionary(fc.constantFrom(...Object.keys(plainSettings)), hostileValue),
        (change, trusted, plain) => {
          const problems: SettingProblem[] = [];
          const variables = { workspaceFolder: '/workspace', userHome: '/home/user', env: { HOME: '/home/user' } };
          const agents = readAgents(
            edited(AGENTS, change),
            { variables, trusted, isAbsolute: (path) => path.startsWith('/') },
            problems,
          );
          for (const agent of agents) {
            assert.ok(typeof agent.command === 'string' && agent.args.every((arg) => typeof arg === 'string'));
            assert.ok(Object.values(agent.env).every((value) => typeof value === 'string'));
          }
          const read = readPlainSettings((key) => plain[key], problems);
          assert.deepEqual(Object.keys(read).toSorted(), Object.keys(plainSettings).toSorted());
          for (const { path, message } of problems) {
            assert.ok(path.startsWith('parley.'));
            assert.ok(message.length > 0);
          }
        },
      ),
    ),
};

const SEGMENTS = [
  '..',
  '.',
  '',
  'a',
  'A',
  '.git',
  '.git.',
  'x ',
  'a:b',
  'a::$DATA',
  'PROGRA~1',
  '...',
  'é',
  'e\u0301',
  'CON',
  '\0',
  '~',
  '*',
];

/** Whatever is taken as inside is inside for the system's own rules too. */
const paths: Target = {
  name: 'paths',
  property: () =>
    anyInput(
      fc.property(
        fc.constantFrom<NodeJS.Platform>('linux', 'darwin', 'win32'),
        fc.constantFrom(
          '/',
          '/ws',
          '/ws/../',
          'C:\\',
          'C:\\ws',
          'c:/ws/',
          '\\\\server\\share\\',
          '\\\\?\\C:\\',
          '\\\\.\\pipe\\',
          'file:///',
          '',
        ),
        fc.array(fc.oneof(fc.constantFrom(...SEGMENTS), hostileText), { maxLength: 8 }),
        fc.constantFrom('/', '\\'),
        (platform, start, parts, separator) => {
          const path = start + parts.join(separator);
          try {
            checkShape(path, 'path', platform);
          } catch (error) {
            assert.ok(error instanceof RpcError);
            return;
          }
          assert.ok(!path.includes('\0'));
          const root = platform === 'win32' ? 'C:\\ws' : '/ws';
          if (isWithin(root, path, platform)) assertBelow(root, path, platform === 'win32');
          if (platform === 'win32') assert.ok(!/[:*?"<>|]/.test(path.replace(/^[a-z]:/i, '')), path);
        },
      ),
    ),
};

/** Walks the segments by hand. */
function assertBelow(root: string, path: string, windows: boolean): void {
  const split = (text: string): string[] =>
    text.split(windows ? /[\\/]+/ : /\/+/).filter((part) => part !== '' && part !== '.');
  const walked: string[] = [];
  for (const part of split(path)) {
    if (part === '..') walked.pop();
    else walked.push(windows ? part.toLowerCase() : part);
  }
  const wanted = split(windows ? root.toLowerCase() : root);
  assert.deepEqual(walked.slice(0, wanted.length), wanted, path);
}

const FORM = {
  message: 'Who?',
  sessionId: 's',
  mode: 'form',
  requestedSchema: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1, pattern: '^a+$', format: 'email' },
      age: { type: 'integer', minimum: 0, maximum: 9 },
      yes: { type: 'boolean', default: true },
      one: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
      many: { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1 },
    },
  },
};

const forms: Target = {
  name: 'forms',
  property: () =>
    anyInput(
      fc.property(edits, fc.array(hostileValue, { maxLength: 3 }), (change, values) => {
        try {
          const { question } = parseElicitation(edited(FORM, change));
          if (question.mode !== 'form') return;
          for (const field of question.fields)
            for (const value of [undefined, ...values]) fieldProblem(field, value as FieldValue | undefined, true);
        } catch (error) {
          assert.ok(error instanceof RpcError, String(error));
        }
      }),
    ),
};

const escapes = fc.oneof(
  hostileText,
  fc.constantFrom(
    '\u001b[',
    '\u001b]0;title\u0007',
    '\u001b]52;c;YQ==\u0007',
    '\u001bP1;2q',
    '\u001b\\',
    '\u001b_G',
    '\u001b^',
    '\u009b31m',
    '\u001b[38;5;',
    '\u001b[?1049h',
    '\u001b[?1049l',
    '\u001b[1;5r',
    '\u001b7',
    '\u001b8',
    '\u001b[2J',
    '\u001b[3J',
    '\u001b[K',
    '\u001b[1A',
    '\u001b[99999B',
    '\u001b[5G',
    '\u001bM',
    '\u001bc',
    '\r',
    '\b',
    '\n',
    '\t',
    'word',
  ),
  fc
    .tuple(fc.nat(100_000), fc.constantFrom(...'ABCDEFGHJKLMPSTXdfhlmnrsu@'.split('')))
    .map(([count, final]) => `\u001b[${count}${final}`),
);

/** Output of commands gives the same screen however it is cut, and no escape character stays in it. */
const terminals: Target = {
  name: 'terminal output',
  property: () =>
    anyInput(
      fc.property(fc.array(escapes, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 6 }), (parts, cuts) => {
        const text = parts.join('');
        const ends = [...cuts.map((at) => at % (text.length + 1)), text.length].toSorted((a, b) => a - b);
        const chunks = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
        const whole = screenOf([text]);
        assert.deepEqual(screenOf(chunks), whole);
        assert.ok(!whole.some((line) => line.includes('\u001b')));
      }),
    ),
};

function screenOf(chunks: readonly string[]): string[] {
  const model = new TerminalModel();
  const seen = new Set<Line>();
  for (const chunk of chunks) {
    model.write(chunk);
    for (const line of model.takeChanges()) seen.add(line);
  }
  return Array.from(seen, textOf);
}

/** Files that people were given: an error that names the place, or what is in them. */
const files: Target = {
  name: 'files',
  property: () =>
    anyInput(
      fc.property(
        fc.constantFrom(...agentMessages),
        edits,
        fc.array(hostileText, { maxLength: 3 }),
        (message, change, noise) => {
          const line = JSON.stringify({ dir: 'in', t: 1, msg: edited(message, change) });
          orClearError(() => parseRecording([line, ...noise].join('\n')));
          const agent = { id: 'x', name: 'X', version: '1', distribution: { npx: { package: 'x@1' } } };
          orClearError(() => parseIndex(edited({ version: '1.0.0', agents: [agent] }, change)));
        },
      ),
    ),
};

/** An error that was meant, not one that happened. */
function orClearError(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof Error && !(error instanceof TypeError || error instanceof RangeError), String(error));
  }
}

const shellParts = fc.oneof(
  fc.constantFrom(
    'git',
    'rm',
    '-rf',
    ' ',
    '&&',
    '||',
    ';',
    '|',
    '&',
    '(',
    ')',
    '{',
    '}',
    '$(',
    '`',
    '"',
    "'",
    '\\',
    '>',
    '<<EOF',
    '\n',
    '$HOME',
    '*',
    '#',
    '!',
    '@(',
    '%',
    '-c',
    '=',
    'A=1 ',
  ),
  hostileText,
);

/** Command lines: a reader that does not understand says so, and never throws or hangs. */
const shells: Target = {
  name: 'command lines',
  property: () =>
    anyInput(
      fc.property(fc.array(shellParts, { maxLength: 20 }), (parts) => {
        const line = parts.join('');
        for (const read of [readPosix, readPowerShell]) assert.equal(typeof read(line), 'object');
      }),
    ),
};

const redactor = new Redactor();
const secretParts = fc.oneof(
  fc.constantFrom(
    'token',
    '=',
    ':',
    ' ',
    '"',
    '\\',
    'Bearer ',
    'sk-',
    'eyJ',
    '.',
    '-',
    '-----BEGIN PRIVATE KEY-----',
    '://',
    '@',
    'authorization',
    'cookie:',
    '--api-key ',
    '?key=',
    'AKIA',
    'aA1'.repeat(10),
  ),
  hostileText,
);

const secrets: Target = {
  name: 'redaction',
  property: () =>
    anyInput(
      fc.property(
        fc.array(secretParts, { maxLength: 30 }),
        fc.constantFrom('sk-ant-', 'ghp_', 'glpat-'),
        (parts, prefix) => {
          const secret = prefix + 'aB3dE6'.repeat(8);
          const text = `${parts.join('')} ${secret} ${parts.join('')}`;
          assert.ok(!redactor.redact(text).includes(secret));
          assert.equal(typeof redactor.redact(parts.join('').repeat(50)), 'string');
        },
      ),
    ),
};

export const pureTargets: readonly Target[] = [
  sessions,
  lines,
  depth,
  page,
  settings,
  paths,
  forms,
  terminals,
  files,
  shells,
  secrets,
];
