import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decideByPolicy } from '../../../../src/permissions/permissionPolicy';
import { ruleEngine } from '../../../../src/permissions/ruleEngine';
import { SessionApprovals } from '../../../../src/permissions/sessionApprovals';
import type { AuthorizationRequest } from '../../../../src/session/sessionHandle';
import {
  authorizationRuleRequest,
  decideAuthorization,
} from '../../../../src/session/userRequests/clientAuthorization';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { emptyPolicy } from '../emptyPolicy';

/** Commands of `terminal/create` that reach files through the folders that they name, in a real folder. */
describe('rules: commands that name folders', () => {
  let root = '';

  before(() => {
    root = temporaryFolder();
    for (const file of [
      'secrets/server.key',
      'src/a.ts',
      'test/a.test.ts',
      'packages/api/.env',
      'packages/api/index.ts',
      'packages/web/.env',
      'etc/hostname',
      '.env',
    ]) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), 'x\n');
    }
    for (const folder of ['empty', 'a/b/c/d', 'deep/inner']) mkdirSync(join(root, folder), { recursive: true });
    if (process.platform === 'win32') return;
    symlinkSync('../../../../etc', join(root, 'a/b/c/d/l'));
    symlinkSync('inner', join(root, 'deep/stays'));
  });

  function decision(text: string): string {
    const command = { line: text, shell: 'posix', cwd: root } as const;
    const request: AuthorizationRequest = { kind: 'execute', title: text, otherwise: 'allow', command };
    const session = { agent: 'a', cwd: root, folders: [root], confined: undefined };
    const asked = authorizationRuleRequest(request, session);
    const approvals = new SessionApprovals(() => ruleEngine);
    return decideAuthorization(request, asked, decideByPolicy(emptyPolicy(), 's', asked), session, approvals).decision;
  }

  const decides = (expected: 'ask' | 'allow', lines: readonly string[]): void => {
    for (const text of lines) it(`${expected}: ${text}`, () => assert.equal(decision(text), expected));
  };

  describe('compared ones', () => {
    decides('ask', [
      'diff packages/api packages/web',
      'diff -u packages/api packages/web',
      'diff --from-file=packages/api packages/web',
      'diff --to-file packages/api packages/web',
      'colordiff packages/api packages/web',
      'cd packages && diff api web',
      'git diff secrets src',
      'git diff --stat -p -- secrets src',
      'git diff empty secrets',
      'mkdir new && git diff new secrets',
      'cd src && git diff ../secrets ../test',
    ]);
    decides('allow', [
      'diff src test',
      'diff src/a.ts test/a.test.ts',
      'git diff src test',
      'git diff HEAD .',
      'git diff main secrets',
      'git diff HEAD src secrets',
      'git diff -- packages',
    ]);
  });

  describe('searched for names that a pattern limits', () => {
    decides('ask', [
      String.raw`grep -r . --include='\.env' .`,
      "grep -r . --include='[[:alpha:]]*.key' .",
      String.raw`grep -r . --include='*.k\ey' .`,
      "grep -r . --include='.[[:lower:]]nv' .",
      "grep -r . --include='[[=.=]]env' .",
      String.raw`grep --recursive --include='\.env' S`,
      String.raw`rg -g '*\.key' S`,
      String.raw`rg -g '**/\.env' S`,
      "rg -g '*.[[:alpha:]]ey' S",
      "rg -g '*.{ts,{js,key}}' S",
    ]);
    decides('allow', ["grep -rn x --include='*.ts' .", "grep -rn x --include='*.[ch]' ."]);
  });

  describe('searched and printed by programs without a table', () => {
    decides('ask', [
      'rgrep KEY',
      'rgrep KEY secrets',
      'ugrep -r S .',
      'ug S',
      'ug -. S',
      'pcregrep -r S .',
      'rga S',
      'sift S',
      'pt S',
      'ast-grep run -p x',
      'semgrep --config x.yml',
      'repomix --stdout',
      'pnpm repomix --stdout',
      'files-to-prompt .',
      'code2prompt .',
      'gitingest .',
      'icdiff -r secrets src',
      'difft secrets src',
      'sdiff packages/api packages/web',
      'delta secrets src',
      'gitleaks detect -v',
      'trufflehog filesystem .',
      'node_modules/.bin/repomix --stdout',
      'node node_modules/.bin/repomix --stdout',
      'poetry run rgrep KEY',
      'touch KEY && rgrep KEY',
      'acme print secrets',
      'acme secrets',
      'acme --from=secrets',
      'acme "secrets/*"',
      'acme "**/server.*"',
      'npx prettier .',
      'npx prettier "**/secrets/*"',
      'npx prettier --check --no-check .',
      'npx rimraf packages/api',
      'rimraf .',
      'npx rimraf "packages/*"',
      "npx rimraf -g '{.git,packages}'",
      'node_modules/.bin/rimraf packages',
      'yarn rimraf packages',
      'pnpm exec rimraf packages',
      'trash packages',
      'trash-put packages',
      'safe-rm -rf packages',
      'rip packages',
    ]);
    decides('allow', [
      'npx eslint .',
      'npx tsc -p .',
      'vitest run src',
      'ruff check .',
      'npx prettier --check .',
      'npx prettier --write .',
      'npx prettier src',
      'npx biome check .',
      'npx cspell .',
      'isort .',
      'flake8 .',
      'gofmt -l .',
      'golangci-lint run ./...',
      'cloc .',
      'tokei .',
      'yamllint .',
      'rubocop .',
      'vendor/bin/phpcs .',
      'phpstan analyse .',
      'dart analyze .',
      'shellcheck src/a.sh',
      'gcc -Isrc src/a.c',
      'rgrep -n TODO src',
      'difft src test',
      'acme packages',
      'acme src',
      'acme "src/**/*.ts"',
      'acme show 12',
      'npx rimraf src',
      'npx rimraf dist',
      './scripts/all.sh secrets',
      'yarn build src',
    ]);
  });

  // Making links needs a permission on Windows.
  if (process.platform !== 'win32')
    describe('moved, copied and new links', () => {
      decides('ask', [
        'mv a/b/c/d/l l && cat l/hostname',
        'mv a/b/c/d/l . ; cat l/hostname',
        'mv -t . a/b/c/d/l && cat l/hostname',
        'mv a/b/c/d/l* . && cat l/hostname',
        'mv a/b/c/d d && cat d/l/hostname',
        'mv a/b/c d && cp src/a.ts d/d/l/x',
        'cp -P a/b/c/d/l l && cat l/hostname',
        'cp -d a/b/c/d/l l && cat l/hostname',
        'cp -a a/b/c/d/l l && cat l/hostname',
        'cp -R a/b/c/d d && node src/a.ts > d/l/x',
        'ln a/b/c/d/l l && cat l/hostname',
        'sh -c "mv a/b/c/d/l l && cat l/hostname"',
        'ln -s secrets k && grep -r KEY k',
        'cd a && ln -s ../src k && ls k',
        'ln -s ../.. a/b/k && cat a/b/k/../hostname',
        'ln -s src k && echo x > k/a.ts',
        'ln -s ../../secrets a/b && grep -R KEY a',
      ]);
      decides('allow', [
        'mv src/a.ts src/b.ts && npm test',
        'mv deep deeper && ls deeper',
        'cp -r deep deeper && ls deeper',
        'cp a/b/c/d/l/hostname h && cat h',
        'mv a/b/c/d/l l',
        'ln -s src k',
        'ln -s src k && npm test',
        'ln -sf src/a.ts b.ts && git status',
      ]);
    });
});
