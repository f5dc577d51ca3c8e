import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { decide } from '../../src/permissions/rules/decide';
import { rulesReader } from '../../src/permissions/rules/permissionRule';
import { parsePosixLine } from '../../src/permissions/shell/posixShell';
import { parsePowerShellLine } from '../../src/permissions/shell/powerShell';
import type { ScreenLine } from '../../src/shared/terminal/screenLine';
import { TerminalScreen, screenLineText } from '../../src/shared/terminal/terminalScreen';
import { edited, edits, hostileText } from './hostile';
import type { Target } from './target';
import { anyInput } from './target';

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

/** Command output gives the same screen however it is split into chunks, and the screen contains no escape character. */
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
  const model = new TerminalScreen();
  const seen = new Set<ScreenLine>();
  for (const chunk of chunks) {
    model.write(chunk);
    for (const line of model.takeChanges()) seen.add(line);
  }
  return Array.from(seen, screenLineText);
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

/** Command line parsers report lines that they do not understand, and never throw or hang. */
const shells: Target = {
  name: 'command lines',
  property: () =>
    anyInput(
      fc.property(fc.array(shellParts, { maxLength: 20 }), (parts) => {
        const line = parts.join('');
        for (const read of [parsePosixLine, parsePowerShellLine]) assert.equal(typeof read(line), 'object');
      }),
    ),
};

const ruleParts = fc.oneof(
  fc.constantFrom(
    'npm test',
    'evil',
    ' ',
    '  ',
    ';',
    '&&',
    '||',
    '|',
    '&',
    '$(',
    '`',
    ')',
    '(',
    '{ ',
    ' }',
    '>',
    '<',
    '>>',
    '<(',
    '\\',
    '"',
    "'",
    '\n',
    '\r',
    '$IFS',
    '${x}',
    '!',
    '=',
    '\u00a0',
    '\u2028',
    '\t',
    '<<E\n',
    '\nE\n',
    'if ',
    'then ',
    'sudo ',
    'env ',
    'xargs ',
  ),
  fc.string(),
);

/** A rule that allows one command never allows a line with another command in it; deny rules always win. */
const rules: Target = {
  name: 'rules',
  property: () =>
    anyInput(
      fc.property(
        fc.array(ruleParts, { maxLength: 8 }),
        fc.array(ruleParts, { maxLength: 8 }),
        fc.constantFrom('posix' as const, 'powershell' as const),
        edits,
        (before, after, shell, change) => {
          const line = `${before.join('')}evil ${after.join('')}`;
          const request = {
            kind: 'execute' as const,
            title: line,
            agent: 'A',
            command: { line, shell },
            paths: [],
            folders: ['/workspace'],
          };
          const allow = { rule: { decision: 'allow' as const, command: 'npm test' }, source: 'user' as const };
          // Otherwise a rule that allows nothing at all would pass.
          assert.equal(decide({ ...request, command: { line: 'npm test', shell } }, [allow]).decision, 'allow');
          const decided = decide(request, [allow]);
          // The text after # is a comment.
          if (!line.includes('#')) assert.notEqual(decided.decision, 'allow', line);
          assert.equal(
            decide(request, [allow, { rule: { decision: 'deny', agent: 'A' }, source: 'workspace' }]).decision,
            'deny',
          );
          const all = { rule: { decision: 'allow' as const, agent: 'A' }, source: 'workspace' as const };
          assert.notEqual(decide(request, [all]).decision, 'allow', 'a workspace allows nothing');
          const problems: string[] = [];
          const read = rulesReader(
            edited(
              [
                { decision: 'deny', command: 'rm *', path: '**/x' },
                { decision: 'ask', kind: 'edit' },
              ],
              change,
            ),
            (text) => problems.push(text),
          );
          for (const rule of read) decide(request, [{ rule, source: 'user' }]);
          assert.ok(read.length === 2 || problems.length > 0 || change.length > 0);
        },
      ),
    ),
};

export const commandTargets: readonly Target[] = [terminals, shells, rules];
