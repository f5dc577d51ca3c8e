import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { decideByPolicy } from '../../../../src/permissions/permissionPolicy';
import {
  authorizationRuleRequest,
  decideAuthorization,
} from '../../../../src/session/userRequests/clientAuthorization';
import type { AuthorizationRequest } from '../../../../src/session/sessionHandle';
import { emptyPolicy } from '../emptyPolicy';

/** Commands of `terminal/create` that reach files through the folders that they name, in a real folder. */
describe('rules: commands that name folders', () => {
  let root = '';

  before(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-folders-')));
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
    symlinkSync('../../../../etc', join(root, 'a/b/c/d/l'));
    symlinkSync('../inner', join(root, 'deep/stays'));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  function decision(text: string): string {
    const command = { line: text, shell: 'posix', cwd: root } as const;
    const request: AuthorizationRequest = { kind: 'execute', title: text, otherwise: 'allow', command };
    const asked = authorizationRuleRequest(request, { agent: 'a', cwd: root, folders: [root], confined: undefined });
    const past = { approvalReason: () => undefined, overridingApprovalReason: () => undefined };
    return decideAuthorization(request, asked, decideByPolicy(emptyPolicy(), 's', asked), {
      approvals: past,
      confined: undefined,
      isBuiltIn: false,
    }).decision;
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
});
