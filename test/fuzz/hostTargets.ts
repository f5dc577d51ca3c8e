import assert from 'node:assert/strict';
import { win32, posix } from 'node:path';
import * as fc from 'fast-check';
import { readAgents } from '../../src/agent/config/agentSettings';
import { RpcError } from '../../src/base/jsonRpc';
import { Redactor } from '../../src/base/redactor';
import type { SettingProblem } from '../../src/base/settings';
import { plainSettings, settingProblemText, readPlainSettings } from '../../src/base/settings';
import { readPlainSetting } from '../../src/base/settingScopes';
import { parseElicitation } from '../../src/client/elicitationFeature';
import { requirePlainPath } from '../../src/client/fs/resolvePath';
import { isInside } from '../../src/node/fs/realPaths';
import { validateField } from '../../src/shared/state/elicitationState';
import type { FieldValue } from '../../src/shared/state/elicitationState';
import { parsePageMessage } from '../../src/ui/messages/parsePageMessage';
import { edited, edits, hostileText, hostileValue } from './hostile';
import type { Target } from './target';
import { anyInput } from './target';

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
        (change, isTrusted, plain) => {
          const problems: SettingProblem[] = [];
          const variables = { workspaceFolder: '/workspace', userHome: '/home/user', env: { HOME: '/home/user' } };
          const agents = readAgents(edited(AGENTS, change), variables, isTrusted, problems);
          for (const agent of agents) {
            assert.ok(typeof agent.command === 'string' && agent.args.every((arg) => typeof arg === 'string'));
            assert.ok(Object.values(agent.env).every((value) => typeof value === 'string'));
          }
          const read = readPlainSettings((key, reader) =>
            readPlainSetting(key, { user: plain[key], workspace: plain[key], folders: [] }, reader, problems),
          );
          assert.deepEqual(Object.keys(read).toSorted(), Object.keys(plainSettings).toSorted());
          for (const problem of problems) {
            const text = settingProblemText(problem);
            assert.ok(text.startsWith('parley.') && text.length < 700, 'a sentence for a notification');
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

/** A path accepted as inside is inside by the operating system's rules too. */
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
            requirePlainPath(path, 'path', platform);
          } catch (error) {
            assert.ok(error instanceof RpcError);
            return;
          }
          assert.ok(!path.includes('\0'));
          const root = platform === 'win32' ? 'C:\\ws' : '/ws';
          if (isInside(root, path, platform === 'win32' ? win32 : posix)) assertBelow(root, path, platform === 'win32');
          if (platform === 'win32') assert.ok(!/[:*?"<>|]/.test(path.replace(/^[a-z]:/i, '')), path);
        },
      ),
    ),
};

/** Resolves a path segment by segment. */
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

const ADDRESS = { message: 'Open?', sessionId: 's', mode: 'url', url: 'https://login.test/start' };

const forms: Target = {
  name: 'forms',
  property: () =>
    anyInput(
      fc.property(
        fc.constantFrom(FORM, ADDRESS),
        edits,
        fc.array(hostileValue, { maxLength: 3 }),
        (asked, change, values) => {
          try {
            const { question } = parseElicitation(edited(asked, change));
            if (question.mode !== 'form') return;
            for (const field of question.fields)
              for (const value of [undefined, ...values]) validateField(field, value as FieldValue | undefined, true);
          } catch (error) {
            assert.ok(error instanceof RpcError, String(error));
          }
        },
      ),
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

export const hostTargets: readonly Target[] = [page, settings, paths, forms, secrets];
