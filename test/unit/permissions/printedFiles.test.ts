import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Git } from '../../../src/node/gitCommand';
import type { Rule } from '../../../src/permissions/rules/permissionRule';
import type { Decision } from '../../../src/permissions/rules/ruleRequest';
import { entriesFrom } from '../../../src/shared/state/entryPages';
import type { PermissionEntry, PermissionOutcome } from '../../../src/shared/state/toolCallState';
import { runGit } from '../../kit/runGit';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { SessionBench } from '../session/sessionBench';
import { emptyPolicy } from './emptyPolicy';

describe('files that git prints', () => {
  let bench: SessionBench;
  let storage: string;

  // Parley asks where git takes too long, and on a busy machine it does.
  const original = Object.getOwnPropertyDescriptor(AbortSignal, 'timeout')!;
  before(() => {
    AbortSignal.timeout = () => new AbortController().signal;
  });
  after(() => Object.defineProperty(AbortSignal, 'timeout', original));

  beforeEach(() => (storage = temporaryFolder()));

  afterEach(async () => {
    await bench?.close();
  });

  const write = (files: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(bench.folder, name)), { recursive: true });
      writeFileSync(join(bench.folder, name), text);
    }
  };
  const git = (...args: string[]): string => runGit(bench.folder, ...args);

  interface Content {
    readonly files?: Readonly<Record<string, string>>;
    readonly committed?: Readonly<Record<string, string>>;
    readonly rules?: readonly Rule[];
  }

  /** A repository with a commit of `src/a.ts`, which has changed since. */
  async function open({ files = {}, committed = {}, rules = [] }: Content = {}): Promise<void> {
    const policy = {
      ...emptyPolicy(),
      rules: () => ({ user: rules, workspace: [] }),
      git: new Git('git', storage),
    };
    bench = await SessionBench.open({ sessions: { policy } });
    git('init', '-q');
    write({ 'src/a.ts': 'a\n', ...committed });
    git('add', '-A');
    git('commit', '-qm', 'x');
    write({ 'src/a.ts': 'b\n', ...files });
  }

  const decide = (line: string, cwd = bench.folder): Promise<Decision> =>
    bench.session.userRequests.judge({
      kind: 'execute',
      title: line,
      otherwise: 'allow',
      command: { line, shell: 'posix', cwd },
    });

  async function asked(lines: readonly string[]): Promise<readonly string[]> {
    const decisions = await Promise.all(lines.map(async (line) => [line, (await decide(line)).decision] as const));
    return decisions.filter(([, decision]) => decision === 'ask').map(([line]) => line);
  }

  const ADDING = [
    'git add -A && git diff --cached',
    'git add . && git diff --staged -U0',
    'git add -N . && git diff',
    'git add sub && git diff HEAD',
    'git -C sub add . && git diff --cached',
    'cd sub && git add . && git diff --cached',
    'git add --all; git commit -v',
    'git add -A && git commit -qm x && git show',
    'git add -A && git commit -qm x && git log -p -1',
    'git stage . && git grep --cached TOKEN',
    "sh -c 'git add -A && git diff --cached'",
    'git add -A && git commit --dry-run -v',
    'git add -A && git status -v',
  ];

  it('asks where a line adds new credentials and prints them', async () => {
    await open({ files: { 'sub/.env': 'TOKEN=1\n' } });
    assert.deepEqual(await asked(ADDING), ADDING);
    const { reason } = await decide('git add -A && git diff --cached');
    assert.equal(reason, 'git would print sub/.env, which contains credentials; this always requires approval');
  });

  it('does not ask where git ignores them, or nothing prints them', async () => {
    await open({ files: { 'sub/.env': 'TOKEN=1\n', '.gitignore': '.env\n', 'sub/b.ts': 'b' } });
    assert.deepEqual(await asked(ADDING), []);
    const forced = ['git add -f sub && git diff --cached', 'rm .gitignore && git add -A && git diff --cached'];
    assert.deepEqual(await asked(forced), forced);
    writeFileSync(join(bench.folder, '.gitignore'), '');
    assert.deepEqual(
      await asked([
        'git add -A',
        'git add -A && git status',
        'git add -A && git commit -qm x',
        'git add -A && git diff --cached --stat',
        'git add src && git diff --cached',
        'git add -u && git diff --cached',
        'git diff',
        'git show',
        'git log --oneline && git add -A',
      ]),
      [],
    );
  });

  it('asks before staged or changed credentials are printed', async () => {
    await open({ committed: { 'keys/a.pem': '1\n' }, files: { 'keys/a.pem': '2\n', '.env': 'TOKEN=1\n' } });
    const lines = [
      'git diff',
      'git diff -q',
      'git diff HEAD',
      'git diff -- keys',
      'git show',
      'git log -p',
      'git show HEAD -- keys',
    ];
    assert.deepEqual(await asked([...lines, 'git diff src', 'git diff --cached', 'git log -p -- src']), lines);
    git('add', '.env');
    const blob = git('rev-parse', ':.env').trim();
    const staged = [
      'git diff --cached',
      'git diff --cached --stat -p',
      'git diff-index --cached -p HEAD',
      'git grep TOKEN',
      `git cat-file -p ${blob}`,
      `git cat-file blob ${blob.slice(0, 7)}`,
      `git show ${blob}`,
      'git commit -v',
    ];
    assert.deepEqual(await asked([...staged, 'git diff --cached --stat', 'git grep -l TOKEN', 'git grep zzz']), staged);
    git('stash');
    assert.deepEqual(await asked(['git diff', 'git stash show -p']), ['git stash show -p']);
  });

  it('asks about printed files that a rule names', async () => {
    await open({ files: { 'src/a.ts': 'b\n' }, rules: [{ decision: 'deny', path: 'src/**' }] });
    assert.deepEqual(await asked(['git diff', 'git diff --cached', 'git diff --stat']), ['git diff']);
  });

  it('asks where git cannot tell', async () => {
    await open();
    assert.deepEqual(await asked(['git show none', 'git diff none', 'git show', 'git show HEAD src/a.ts']), [
      'git show none',
      'git diff none',
    ]);
  });

  it('asks before the content of an object without a name is printed', async () => {
    await open({ committed: { 'keys/a.pem': 'TOKEN=1\n' } });
    const [blob, tree] = [git('rev-parse', 'HEAD:keys/a.pem'), git('rev-parse', 'HEAD:keys')].map((id) => id.trim());
    git('tag', 'named', blob!);
    git('tag', '-a', 'twice', '-m', 'x', 'named');
    git('rm', '-qr', 'keys');
    git('commit', '-qm', 'y');
    const names = [
      blob!,
      blob!.slice(0, 7),
      blob!.toUpperCase(),
      `${blob}^{blob}`,
      `${blob}^{}`,
      'named',
      'tags/twice',
    ];
    const lines = names.flatMap((name) => [
      `git cat-file -p '${name}'`,
      `git cat-file blob '${name}'`,
      `git show '${name}'`,
      `git show -s '${name}'`,
      `git diff HEAD:src/a.ts '${name}'`,
      `git diff '${name}..HEAD:src/a.ts'`,
      `git grep -n '' '${name}'`,
    ]);
    lines.push(
      `git grep TOKEN ${tree}`,
      `git diff ${tree} HEAD^{tree}`,
      `git show ${tree}:a.pem`,
      `git tag other ${blob} && git show -s other`,
      `git tag other ${blob} && git cat-file -p other`,
      `git tag other ${blob} && git grep TOKEN other`,
      'git show --tags',
      'git show --all',
      "git for-each-ref --format='%(raw)' refs/tags/named",
      "git tag -l --format '%(*raw)'",
    );
    assert.deepEqual(await asked(lines), lines);
    const plain = [
      `git cat-file -t ${blob}`,
      'git cat-file -p HEAD',
      'git cat-file blob HEAD:src/a.ts',
      'git show HEAD:src/a.ts',
      'git show HEAD~1..HEAD -- src',
      'git diff HEAD~1 HEAD -- src',
      'git grep TOKEN HEAD',
      'git add -A && git grep TOKEN',
      "git tag -l --format='%(refname)'",
    ];
    assert.deepEqual(await asked(plain), []);
  });

  it('asks before a list of commits prints credentials', async () => {
    await open({ committed: { '.env': 'TOKEN=1\n' } });
    const log = ['git reflog -p', 'git reflog show -p', 'git reflog show HEAD --patch'];
    assert.deepEqual(await asked([...log, 'git reflog', 'git stash list -p', 'git reflog show HEAD']), log);
    write({ '.env': 'TOKEN=2\n' });
    git('stash');
    const stash = ['git stash list -p', 'git stash list --patch --stat', 'git stash show -p'];
    assert.deepEqual(await asked([...stash, 'git stash list', 'git stash show']), stash);
  });

  it('asks where a setting of the user makes git print them', async () => {
    await open({ committed: { '.env': 'TOKEN=1\n' }, files: { '.env': 'TOKEN=2\n' } });
    git('stash');
    write({ '.env': 'TOKEN=3\n' });
    const lines = ['git stash show', 'git stash show stash@{0}', 'git commit -m x', 'git commit --dry-run'];
    assert.deepEqual(await asked(lines), []);
    git('config', 'stash.showPatch', 'true');
    git('config', 'commit.verbose', '2');
    assert.deepEqual(await asked([...lines, 'git stash show --stat']), lines);
    git('config', 'commit.verbose', 'off');
    git('checkout', '.env');
    write({ 'a.pem': 'TOKEN=1\n' });
    const adding = ['git add . && git commit -m x'];
    assert.deepEqual(await asked([...adding, 'git commit -m x']), []);
    git('config', 'commit.verbose', 'true');
    assert.deepEqual(await asked([...adding, 'git commit -m x']), adding);
  });

  it('asks as the settings of the user select what is printed', async () => {
    await open({ committed: { '.env': 'TOKEN=1\n' } });
    const lines = ["git grep 'TOKEN|other'"];
    assert.deepEqual(await asked(lines), []);
    const { XDG_CONFIG_HOME } = process.env;
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'git'));
    writeFileSync(join(folder, 'git', 'config'), '[grep]\n\tpatternType = extended\n');
    process.env['XDG_CONFIG_HOME'] = folder;
    try {
      assert.deepEqual(await asked(lines), lines);
    } finally {
      if (XDG_CONFIG_HOME === undefined) delete process.env['XDG_CONFIG_HOME'];
      else process.env['XDG_CONFIG_HOME'] = XDG_CONFIG_HOME;
    }
  });

  it('asks where the line itself moves what is printed', async () => {
    await open({ committed: { '.env': 'TOKEN=1\n' } });
    git('tag', 'secret');
    write({ 'src/b.ts': 'b\n' });
    git('add', 'src/b.ts');
    git('commit', '-qm', 'y');
    git('tag', 'x');
    git('branch', 'y');
    const lines = [
      'git tag -f x secret && git show x',
      'git branch -f y secret && git show y',
      'git branch -f y secret && git log -p -1 y',
      'git tag y secret; git show y',
      'git switch -qc x secret && git show heads/x',
      'git fetch -q . secret && git show FETCH_HEAD',
      'git fetch . +secret:refs/heads/y && git show y',
      "git fetch . --refmap='refs/tags/*:refs/heads/*' secret && git show y",
      'git branch -u secret && git diff @{u}',
      'git commit -qm z --allow-empty && git show HEAD~2',
      'git commit -qm z --allow-empty && git log -p -1 --skip=2',
      'git tag z secret && git log -p --tags',
    ];
    git('fetch', '-q', '.', 'x');
    assert.deepEqual(await asked(lines), lines);
    const plain = [
      'git fetch -q && git diff x',
      'git tag -l && git show x',
      'git branch -a; git branch --contains x; git diff',
      'git branch z && git diff && git show HEAD',
      'git switch -qc z && git diff',
      'git tag -f x secret && git show --stat',
      'git commit -qm z --allow-empty && git show',
    ];
    assert.deepEqual(await asked(plain), []);
  });

  it('asks where a line commits staged credentials and prints them', async () => {
    await open({ files: { '.env': 'TOKEN=1\n' } });
    git('add', '.env');
    const lines = ['git commit -qm x && git show', 'git commit -qm x src && git log -p -1'];
    assert.deepEqual(await asked([...lines, 'git commit -qm x', 'git commit -qm x && git show --stat']), lines);
  });

  it('asks where git replaces objects', async () => {
    await open({ committed: { '.env': 'TOKEN=1\n' } });
    git('tag', 'secret');
    git('commit', '-qm', 'y', '--allow-empty');
    const lines = ['git show', 'git log -p -1'];
    assert.deepEqual(await asked(lines), []);
    git('fetch', '-q', '.', `refs/tags/secret:refs/replace/${git('rev-parse', 'HEAD').trim()}`);
    assert.match(git('show'), /TOKEN=1/);
    assert.deepEqual(await asked(lines), lines);
  });

  it('asks before lines of a renamed or copied file are printed', async () => {
    const secret = Array.from({ length: 20 }, (_, at) => `VALUE_${at}=${at}\n`).join('');
    await open({ committed: { '.env': secret, 'keys/a.pem': secret } });
    git('mv', '.env', 'notes.txt');
    git('mv', 'keys/a.pem', 'src/b.txt');
    write({ 'notes.txt': secret.replace('VALUE_1=1', 'VALUE_1='), 'copied.txt': secret.slice(0, 100) });
    git('add', '-A');
    git('commit', '-qm', 'y');
    const lines = [
      'git show',
      'git log -p -1',
      'git log -p -1 -S=1',
      'git log -p -1 --diff-filter=R',
      'git diff HEAD~1',
    ];
    lines.push('git log -L1,3:notes.txt', 'git show -L1,3:notes.txt', "git log -L '/V/,+2:notes.txt' HEAD");
    assert.match(git('show'), /^-VALUE_1=1$/m);
    assert.deepEqual(await asked(lines), lines);
    git('mv', 'notes.txt', 'id_rsa');
    git('commit', '-qam', 'z');
    write({ 'other.txt': 'VALUE_1=\nVALUE_2=\nVALUE_3=\n' });
    git('add', '-A');
    git('commit', '-qm', 'copy');
    const copying = ['git show -C1% -C1%'];
    assert.match(git('show', '-C1%', '-C1%'), /^-VALUE_7=7$/m);
    assert.deepEqual(await asked([...copying, 'git show', 'git show -C', 'git log -L1,3:src/a.ts']), copying);
  });

  it('asks where a program of the user converts files before git searches them', async () => {
    await open({ committed: { '.env': 'TOKEN=1\n', '.gitattributes': '.env diff=hidden\n' } });
    const marker = join(temporaryFolder(), 'ran');
    const lines = ['git log -p -S new', 'git log -p -G new'];
    assert.deepEqual(await asked(lines), []);
    git('config', 'diff.hidden.textconv', `echo new; touch '${marker}'; true`);
    assert.deepEqual(await asked([...lines, 'git diff', 'git diff -w']), lines);
    assert.equal(existsSync(marker), false, 'a program of the repository ran');
  });

  it('runs no filter of the repository before the user is asked', async () => {
    await open({
      committed: { '.env': 'TOKEN=1\n', '.gitattributes': '* filter=odd\n' },
      files: { '.env': 'TOKEN=2\n' },
    });
    const marker = join(temporaryFolder(), 'ran');
    git('config', 'filter.odd.clean', `touch '${marker}'; cat`);
    const lines = ['git diff', 'git add -A && git diff --cached', 'git commit -v'];
    assert.deepEqual(await asked([...lines, 'git diff src']), lines.slice(0, 2));
    assert.equal(existsSync(marker), false, 'a program of the repository ran');
  });

  /** Files that git takes for a repository. */
  const BARE = { HEAD: 'ref: refs/heads/main\n', config: '[core]\n\tfsmonitor = touch ran\n', 'refs/x': '' };

  it('asks before git uses files of the workspace as a repository, even with a rule', async function () {
    // Links.
    if (process.platform === 'win32') this.skip();
    await open({
      rules: ['git status **', 'git -C * status', 'cd *'].map((command) => ({ decision: 'allow', command })),
    });
    for (const name of ['emb', 'shared']) {
      for (const [file, text] of Object.entries(BARE)) write({ [`${name}/${file}`]: text });
    }
    write({ 'emb/objects/x': '', 'emb/sub/a.ts': '', 'shared/commondir': '../emb\n' });
    symlinkSync('emb/sub', join(bench.folder, 'link'));
    rmSync(join(bench.folder, 'shared/HEAD'));
    symlinkSync('refs/heads/main', join(bench.folder, 'shared/HEAD'));
    const lines = ['emb', 'shared', 'emb/sub', 'link'].flatMap((name) => [
      `git -C ${name} status`,
      `cd ${name} && git status`,
      `cd ${name} && git log --oneline`,
    ]);
    assert.deepEqual(await asked([...lines, 'git status', 'cd src && git status', 'cat emb/HEAD']), lines);
    const emb = join(bench.folder, 'emb');
    const { by, reason } = await decide('git status', emb);
    const why = `git would use ${emb} as a repository, whose files can run programs; this always requires approval`;
    assert.deepEqual([by, reason], ['protection', why]);
  });

  it('asks where a workspace without a repository looks like one', async () => {
    await open();
    rmSync(join(bench.folder, '.git'), { recursive: true });
    assert.deepEqual(await asked(['git status']), []);
    write({ ...BARE, 'objects/x': '' });
    assert.deepEqual(await asked(['git status', 'git diff']), ['git status', 'git diff']);
  });

  it('asks before the files of a submodule are printed', async () => {
    await open();
    write({ 'sub/.env': 'TOKEN=1\n' });
    for (const words of [
      ['init', '-q'],
      ['add', '-f', '.env'],
      ['commit', '-qm', 'x'],
    ])
      runGit(join(bench.folder, 'sub'), ...words);
    git('add', 'sub');
    const lines = ['git diff --cached --submodule=diff', 'git diff --cached', 'git commit -v'];
    assert.deepEqual(await asked([...lines, 'git diff --submodule=diff src']), lines.slice(0, 1));
    git('config', 'diff.submodule', 'diff');
    assert.deepEqual(await asked([...lines, 'git diff']), lines);
  });

  it('knows the folder of names that git prints relative to the working folder', async () => {
    await open({ rules: [{ decision: 'ask', path: 'src/a.ts' }] });
    const src = join(bench.folder, 'src');
    assert.equal((await decide('git diff --relative', src)).decision, 'ask');
    git('config', 'diff.relative', 'true');
    assert.equal((await decide('git diff', src)).decision, 'ask');
  });

  describe('where a rule allows the request of the agent', () => {
    const LINE = 'git add -A && git diff --cached';
    const rules: readonly Rule[] = ['git add **', 'git diff **'].map((command) => ({ decision: 'allow', command }));

    const request = (line: string, signal = new AbortController().signal): Promise<PermissionOutcome> =>
      bench.session.userRequests.requestPermission({
        toolCall: { toolCallId: line, title: line, kind: 'execute', rawInput: { command: line } },
        options: [
          { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
          { optionId: 'no', name: 'No', kind: 'reject_once' },
        ],
        signal,
      });

    const permissions = (): readonly PermissionEntry[] =>
      Array.from(entriesFrom(bench.session.state.entries), ([, entry]) => entry).filter(
        (entry) => entry.kind === 'permission',
      );

    it('asks if a protection covers what git prints', async () => {
      await open({ rules, files: { '.env': 'TOKEN=1\n' } });
      const answer = request(LINE);
      await bench.until(() => permissions().length > 0);
      const [permission] = permissions();
      assert.deepEqual(
        [permission?.outcome, permission?.why],
        [undefined, 'git would print .env, which contains credentials; this always requires approval'],
      );
      bench.session.userRequests.answer(permission?.permissionId ?? '', 'no');
      assert.deepEqual(await answer, { type: 'selected', optionId: 'no', by: 'person' });
    });

    it('shows the request as it was, even if the agent changes its call while git is asked', async () => {
      await open({ rules, files: { '.env': 'TOKEN=1\n' } });
      const answer = request(LINE);
      const rawInput = { command: 'git status' };
      bench.session.model.applyUpdate({ sessionUpdate: 'tool_call_update', toolCallId: LINE, title: LINE, rawInput });
      await bench.until(() => permissions().length > 0);
      const [permission] = permissions();
      assert.deepEqual(permission?.about?.rawInput, { command: LINE });
      bench.session.userRequests.answer(permission?.permissionId ?? '', 'no');
      await answer;
    });

    it('allows if no protection covers it, and at once if nothing is printed', async () => {
      await open({ rules, files: { 'src/b.ts': 'b\n' } });
      const answer = request(LINE);
      const other = request('git add -A');
      assert.deepEqual(
        permissions().map(({ title }) => title),
        ['git add -A'],
      );
      for (const outcome of await Promise.all([answer, other]))
        assert.equal(outcome.type === 'selected' && outcome.optionId, 'yes');
    });

    it('cancels it with its turn while git is asked', async () => {
      await open({ rules });
      const answer = request(LINE);
      bench.session.userRequests.cancelAll('the turn ended');
      assert.deepEqual(await answer, { type: 'canceled', reason: 'the turn ended' });
      await request(LINE);
      assert.equal(permissions().length, 2);
    });

    it('does not cancel it with a later turn', async () => {
      await open({ rules });
      const answer = request(LINE);
      bench.session.userRequests.cancelAll('the turn ended', bench.session.state.entries.count + 1);
      assert.equal((await answer).type, 'selected');
    });

    it('is withdrawn while git is asked', async () => {
      await open({ rules });
      const abort = new AbortController();
      const answer = request(LINE, abort.signal);
      abort.abort();
      assert.deepEqual(await answer, { type: 'canceled', reason: 'withdrawn by the agent' });
      assert.deepEqual(bench.session.state.waiting, []);
    });
  });
});
