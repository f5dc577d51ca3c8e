import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeInvisible } from '../../../../src/base/untrustedText';
import type { Below } from '../../../../src/node/fs/realPaths';
import { decide, NO_DISK } from '../../../../src/permissions/rules/decide';
import type { Rule } from '../../../../src/permissions/rules/permissionRule';
import { normalizePath } from '../../../../src/permissions/rules/rulePaths';
import type { Decision, RuleRequest } from '../../../../src/permissions/rules/ruleRequest';
import type { SessionApprovals } from '../../../../src/permissions/sessionApprovals';
import { decideAuthorization } from '../../../../src/session/userRequests/clientAuthorization';
import { stubOf } from '../../../kit/stubOf';
import { argv, line, sourced, windows } from './corpus';
import { DAILY } from './dailyCommands';
import { optionLines } from './documentedOptions';

/**
 * The table of command lines, in sections by what is expected of them, with the decision beside each line. A line may be added without a
 * decision: `UPDATE_GOLDEN=1` writes it.
 */
const GOLDEN = join(process.cwd(), 'test/golden/commandLines.txt');

/** The command line in a row of the table. */
function textOf(written: string): string {
  const text = /^(?:run|ask|deny) (.*?) → (?:allow|ask|deny): /.exec(written)?.[1] ?? written;
  const character = (_: string, code: string): string => String.fromCodePoint(Number.parseInt(code, 16));
  return text.replaceAll('⏎', '\n').replaceAll(/\\u\{([0-9a-f]+)\}/g, character);
}

/** The lines of the sections whose title matches, by the first group of the pattern. */
function sections(title: RegExp): Readonly<Record<string, readonly string[]>> {
  const all = readFileSync(GOLDEN, 'utf8').split(/^## /m);
  const found = all.flatMap((section): [string, string[]][] => {
    const [first = '', ...rows] = section.split('\n');
    const name = title.exec(first)?.[1];
    return name === undefined ? [] : [[name, rows.filter((each) => each !== '').map(textOf)]];
  });
  return Object.fromEntries(found);
}

const RUN = sections(/^terminal\/create: (what runs unasked)$/)['what runs unasked'] ?? [];
const ASK = sections(/^terminal\/create: asked about, (.*)$/);
const REACHES = ASK['what reaches beyond the workspace'] ?? [];
const DENY = sections(/^with “([^”]*)” denied$/);
const DENY_WINDOWS = sections(/^with “([^”]*)” denied, on Windows$/);

/** In PowerShell or cmd.exe. */
const ASK_WINDOWS: readonly string[] = [
  'cd.. && del x',
  'cd\\Windows && del x',
  'cd/ && del x',
  'rd/s/q x',
  'del..\\x',
  'echo.x',
  'get-content env:PATH',
  'dir hklm:\\software',
  'ls cert:x',
  'get-childitem -Path:env:x',
  'get-content Registry::x',
  // Another drive, which following words start from.
  'D: && type x',
  // cmd.exe joins the files.
  'copy src\\a+..\\x y',
  // Short names of commands that ask.
  'icim Win32_Process Create',
  'iwmi -Class Win32_Process -Name Create -ArgumentList calc',
  'ipmo x',
  'ipsn x',
  'sajb x',
  'spps x',
  'spsv x',
  'sasv x',
  'nsn evil',
  'etsn evil',
  'trcm x',
  'ihy',
  'rp x y',
  'sp x y',
  'ndr x',
  'nal git calc',
];

const RUN_WINDOWS: readonly string[] = [
  'npm run env:dev',
  'cat a.txt',
  'copy a b',
  'cat a+b',
  'git show HEAD:src/a.ts',
];

/** `link` leads out of the workspace; so does the link in `out`, which is beside a file with credentials. */
const ROOT = '/ws/app';

function namesOf(path: string): readonly string[] {
  const parts = path.split('/');
  const at = parts.indexOf('link');
  return at < 0 ? [path] : [normalizePath(path), normalizePath(['/outside/far', ...parts.slice(at + 1)].join('/'))];
}

const FILES: Readonly<Record<string, readonly string[]>> = {
  [ROOT]: ['src/a', 'src/a.ts', '-n.md', '.git/config', '.env', 'package.json'].map((name) => `${ROOT}/${name}`),
  [`${ROOT}/src`]: ['a', 'a.ts'].map((name) => `${ROOT}/src/${name}`),
  [`${ROOT}/out`]: [`${ROOT}/out/.env`, `${ROOT}/out/link`, '/outside/far'],
};

function below(folder: string, what: Below): readonly string[] {
  const left = { all: /(?!)/, direct: /(?!)/, files: /\/\.[^/]*\//, shown: /\/\./ }[what];
  return (FILES[folder] ?? []).filter((name) => !left.test(name));
}

function decided(request: RuleRequest, rules: readonly Rule[] = []): Decision {
  return decide({ ...request, folders: [ROOT] }, sourced(rules), { ...NO_DISK, namesOf, below });
}

/** The decision on a `terminal/create` command of a local agent in a trusted workspace. */
function unasked(
  request: RuleRequest,
  { isBuiltIn = false, earlier = undefined as string | undefined, rules = [] as readonly Rule[] } = {},
): Decision {
  const question = {
    kind: 'execute',
    title: request.title,
    otherwise: 'allow',
    command: request.command ?? {},
  } as const;
  const session = { agent: request.agent, folders: request.folders, confined: undefined, isBuiltIn };
  const approvals = stubOf<SessionApprovals>({
    approvalReason: () => earlier,
    overridingApprovalReason: () => undefined,
  });
  return decideAuthorization(question, request, decided(request, rules), session, approvals);
}

function row(request: RuleRequest, { decision, reason, destructive }: Decision, before = ''): string {
  const text = escapeInvisible(request.title).replaceAll('\n', '⏎');
  const danger = destructive === undefined ? '' : ` !! ${destructive}`;
  return `${before}${decision === 'allow' ? 'run' : decision} ${text} → ${decision}: ${reason}${danger}`;
}

function table(): string {
  const sections: [title: string, rows: readonly string[]][] = [
    ['terminal/create: what runs unasked', RUN.map((text) => row(line(text), unasked(line(text))))],
    ...Object.entries(ASK).map(([title, lines]): [string, string[]] => [
      `terminal/create: asked about, ${title}`,
      lines.map((text) => row(line(text), unasked(line(text)))),
    ]),
    [
      'every documented option: terminal/create, and with “PROGRAM **” allowed',
      optionLines().map(({ program, line: text }) => {
        const allowed = decided(line(text), [{ decision: 'allow', command: `${program} **` }]);
        return row(line(text), unasked(line(text)), `${allowed.decision.padEnd(5)} `);
      }),
    ],
    ...Object.entries(DENY).map(([command, lines]): [string, string[]] => [
      `with “${command}” denied`,
      lines.map((text) => row(line(text), decided(line(text), [{ decision: 'deny', command }]))),
    ]),
    ...Object.entries(DENY_WINDOWS).map(([command, lines]): [string, string[]] => [
      `with “${command}” denied, on Windows`,
      lines.map((text) => row(windows(text), decided(windows(text), [{ decision: 'deny', command }]))),
    ]),
  ];
  return sections.map(([title, rows]) => [`## ${title}`, ...rows, ''].join('\n')).join('\n');
}

describe('rules: command lines', () => {
  it("treats the editor's own Node as node, at any path", () => {
    const command = (...args: string[]): RuleRequest => ({
      ...line('node'),
      command: { argv: [process.execPath, ...args], cwd: ROOT },
    });
    assert.equal(unasked(command('tool.js')).decision, 'allow');
    assert.equal(unasked(command('/etc/tool.js')).decision, 'ask');
    assert.equal(unasked(command('-e', '1')).decision, 'ask');
  });

  it('allows code in an argument only for the built-in agent, which must ask about protected files too', () => {
    const inline = line('node -e "1"');
    assert.equal(unasked(inline).decision, 'ask');
    assert.equal(unasked(inline, { isBuiltIn: true }).decision, 'allow');
    assert.equal(unasked(line('cp x .git/hooks/pre-commit'), { isBuiltIn: true }).decision, 'ask');
  });

  it('has the expected decision for every line of the corpus (golden file)', () => {
    const text = table();
    if (process.env['UPDATE_GOLDEN']) writeFileSync(GOLDEN, text);
    assert.ok(text.split('\n').filter((each) => each.includes(' → ')).length > 2500);
    assert.equal(text, readFileSync(GOLDEN, 'utf8'));
  });

  it('asks about 12 of 190 commands of a day', () => {
    assert.equal(DAILY.length, 190);
    assert.deepEqual(
      DAILY.filter((text) => unasked(line(text)).decision !== 'allow'),
      [
        'git push origin feature/x',
        'git checkout main',
        'git pull --rebase',
        'git stash',
        'npm install lodash',
        'npx cowsay hello',
        'node -e "console.log(1)"',
        'python3 -m venv .venv',
        'python3 -c "print(1)"',
        'pip install -r requirements.txt',
        'cat .env',
        'find . -name "*.tmp" -delete',
      ],
    );
  });

  it('allows terminal/create for commands that only read and stay in the workspace', () => {
    const asked = RUN.filter((text) => unasked(line(text)).decision !== 'allow');
    assert.deepEqual(
      asked.map((text) => row(line(text), unasked(line(text)))),
      [],
    );
  });

  for (const [what, lines] of Object.entries(ASK)) {
    it(`asks about ${what} in terminal/create`, () => {
      const run = lines.filter((text) => unasked(line(text)).decision !== 'ask');
      assert.deepEqual(run, []);
    });
  }

  it('asks about effects outside the workspace, unless a rule or an earlier answer allows them', () => {
    for (const text of REACHES) {
      const { by, reason } = unasked(line(text));
      assert.equal(by, 'agent', text);
      assert.match(reason, /^the command has effects outside the workspace: /, text);
      assert.equal(unasked(line(text), { earlier: 'you allowed it' }).decision, 'allow', text);
    }
    assert.equal(unasked(line('git push'), { rules: [{ decision: 'allow', command: 'git push **' }] }).by, 'rule');
  });

  it('does not deny a known program because of a word in its arguments', () => {
    for (const text of ['echo rm x', 'git commit -m rm', 'grep rm x', 'eslint rm x', 'mytool --rm x', 'node rm x'])
      assert.equal(decided(line(text), [{ decision: 'deny', command: 'rm **' }]).decision, 'ask', text);
  });

  for (const [command, lines] of Object.entries(DENY)) {
    it(`finds the denied command in “${command}”`, () => {
      const missed = lines.filter((text) => decided(line(text), [{ decision: 'deny', command }]).decision !== 'deny');
      assert.deepEqual(missed, []);
    });
  }

  it('asks about PowerShell paths that are not files and commands by their short names, but not about scripts with such names', () => {
    const of = (all: readonly string[]): string[] => all.map((text) => `${text}: ${unasked(windows(text)).decision}`);
    assert.deepEqual(
      of(ASK_WINDOWS),
      ASK_WINDOWS.map((text) => `${text}: ask`),
    );
    assert.deepEqual(
      of(RUN_WINDOWS),
      RUN_WINDOWS.map((text) => `${text}: allow`),
    );
  });

  for (const [command, lines] of Object.entries(DENY_WINDOWS)) {
    it(`finds the denied command in “${command}” of PowerShell or cmd.exe`, () => {
      const missed = lines.filter(
        (text) => decided(windows(text), [{ decision: 'deny', command }]).decision !== 'deny',
      );
      assert.deepEqual(missed, []);
    });
  }

  it('does not match a wildcard with an option that runs, loads or writes files', () => {
    const allowed = [
      ['git fetch **', 'git fetch --upload-pa=x'],
      ['sort **', 'sort --compress-prog=x a'],
      ['sort **', 'sort -uo b a'],
      ['tar **', 'tar --use-compress-prog=x -tf a'],
      ['tar **', 'tar --to-comm=x -tf a'],
      ['tar **', 'tar xf a.tar'],
      ['rg **', 'rg --hostname-bin=x y'],
      ['npx eslint **', 'npx eslint -c x src'],
      ['npx eslint **', 'npx eslint -f ./x src'],
      ['eslint **', 'eslint -f ./x src'],
      ['npx jest **', 'npx jest --testRunner=./x'],
      ['npx mocha **', 'npx mocha -r ./x'],
      ['npm test **', 'npm test --node-options=--require=./x'],
      ['uniq **', 'uniq a b'],
      ['xxd **', 'xxd -r a b'],
      ['xxd **', 'xxd a b'],
      ['tree **', 'tree -o x'],
      ['npx tsc **', 'npx tsc --outDir x'],
      ['tsc **', 'tsc --outDir x'],
      ['patch **', 'patch -i a.patch'],
      ['unzip **', 'unzip a.zip'],
      ['mytool **', 'mytool --hidden-option'],
      ['mytool **', 'mytool -x'],
    ].filter(([command = '', text = '']) => decided(line(text), [{ decision: 'allow', command }]).decision === 'allow');
    assert.deepEqual(allowed, []);
    for (const [command, text] of [
      ['git fetch --upload-pa=x', 'git fetch --upload-pa=x'],
      ['sort **', 'sort -u -k 2 a'],
      ['sort -o b **', 'sort -o b a'],
      ['npx eslint -c x **', 'npx eslint -c x src'],
      ['npm test **', 'npm test -- --watch --grep x'],
      ['mytool **', 'mytool a b --verbose'],
      ['mytool -x a **', 'mytool -x a b'],
    ] as const)
      assert.equal(decided(line(text), [{ decision: 'allow', command }]).decision, 'allow', text);
  });

  it('asks about a file pattern that could match a path of a rule', () => {
    const secrets: Rule = { decision: 'deny', path: 'secrets/**' };
    const rules: Rule[] = [{ decision: 'allow', command: 'cat **' }, secrets];
    for (const text of ['cat s*/key', 'cat secret?/key', 'cat [s]ecrets/key', 'sh -c "cat s*/key"'])
      assert.deepEqual([decided(line(text), rules).decision, decided(line(text), rules).by], ['ask', 'rule'], text);
    assert.notEqual(decided(line('cat src/*'), rules).by, 'rule');
    assert.equal(decided(line('cat "s*/key"'), rules).decision, 'allow');
  });

  it('reads arguments of a program without a shell literally', () => {
    assert.equal(unasked(argv('cat', 's*/key')).decision, 'allow');
    assert.equal(unasked(argv('bash', '-ec', 'cat .env')).decision, 'ask');
    assert.equal(unasked(argv('bash', '-c', '-x', 'cat .env')).decision, 'ask');
    assert.equal(unasked(argv('sort', '-uo', '.git/config', 'a')).decision, 'ask');
  });
});
