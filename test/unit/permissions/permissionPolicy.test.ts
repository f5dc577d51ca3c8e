import assert from 'node:assert/strict';
import { mkdirSync, rmSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Emitter } from '../../../src/base/event';
import type { AuditLog } from '../../../src/permissions/auditLog';
import type { AuditEntry } from '../../../src/permissions/auditLog';
import { decideByPolicy } from '../../../src/permissions/permissionPolicy';
import type { Rule } from '../../../src/permissions/rules/permissionRule';
import type { AuthorizationRequest } from '../../../src/session/sessionHandle';
import { entriesFrom } from '../../../src/shared/state/entryPages';
import type { SessionState } from '../../../src/shared/state/sessionState';
import type { PermissionEntry, ToolEntry } from '../../../src/shared/state/toolCallState';
import { stubOf } from '../../kit/stubOf';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { SessionBench } from '../session/sessionBench';
import { emptyPolicy } from './emptyPolicy';

describe('a session with rules', function () {
  let bench: SessionBench;
  /** For the tests that need nothing else. */
  let shared: SessionBench | undefined;
  let rules: { readonly user: readonly Rule[]; readonly workspace: readonly Rule[] };
  let written: AuditEntry[];
  let asked: number[];

  const sharedPolicy = {
    ...emptyPolicy(),
    rules: () => rules,
    audit: stubOf<AuditLog>({
      append: (entry) => void written.push(entry),
      onDidDecide: new Emitter<AuditEntry>().event,
    }),
  };

  afterEach(async () => {
    if (bench === shared) bench?.session.turn.stop();
    else await bench?.close();
  });

  after(() => shared?.close());

  async function open(user: readonly Rule[], workspace: readonly Rule[] = []): Promise<void> {
    rules = { user, workspace };
    written = [];
    asked = [];
    sharedPolicy.remembered = emptyPolicy().remembered;
    shared ??= await SessionBench.open({ sessions: { policy: sharedPolicy } });
    shared.startOver();
    bench = shared;
    bench.session.onDidAsk((entry) => asked.push(entry));
  }

  const waits = (state: SessionState): boolean => state.waiting.length > 0;

  function permissions(): PermissionEntry[] {
    return Array.from(entriesFrom(bench.session.state.entries), ([, entry]) => entry).filter(
      (entry) => entry.kind === 'permission',
    );
  }

  function tools(): ToolEntry[] {
    return Array.from(entriesFrom(bench.session.state.entries), ([, entry]) => entry).filter(
      (entry) => entry.kind === 'tool',
    );
  }

  const fields = (id: string, more: object): string => `fields ${id} ${JSON.stringify(more)}`;
  const runs = (id: string, command: string): string[] => [
    `tool ${id} execute Run_it`,
    fields(id, { rawInput: { command } }),
  ];
  const ONCE = 'permission t1 always=allow_always:Always allow_once:Once reject_once:No reject_always:Never';

  describe('in a folder below the workspace folder', function () {
    const settled = async (rule: Rule, ...script: string[]): Promise<readonly unknown[]> => {
      await open([rule]);
      const folder = join(bench.folder, 'packages', 'a');
      mkdirSync(folder, { recursive: true });
      bench.session.setFolder(folder);
      const turn = bench.send(...script);
      await bench.until((state) => waits(state) || state.turns.length > 0);
      if (waits(bench.session.state)) bench.session.turn.stop();
      await turn;
      return [asked.length, permissions()[0]?.outcome?.type];
    };
    const edit = (path: string): string[] => ['tool t1 edit Edit_it', fields('t1', { rawInput: { path } })];
    const allow = { decision: 'allow', kind: 'edit', path: 'src/**' } as const;

    for (const [path, result] of [
      ['src/x.ts', [0, 'selected']],
      ['../../src/x.ts', [0, 'selected']],
      ['../src/x.ts', [1, 'canceled']],
      ['../../../src/x.ts', [1, 'canceled']],
    ] as const) {
      it(`applies rules relative to it and to the workspace folder: ${path}`, async () => {
        assert.deepEqual(await settled(allow, ...edit(path), ONCE), result);
      });
    }

    for (const [cwd, result] of [
      ['packages/a', [0, 'selected']],
      ['.', [0, 'selected']],
      ['packages/b', [1, 'canceled']],
    ] as const) {
      it(`runs commands in it: ${cwd}`, async () => {
        const rule = { decision: 'allow', command: 'npm test', cwd } as const;
        assert.deepEqual(await settled(rule, ...runs('t1', 'npm test'), ONCE), result);
      });
    }

    it('asks about every command after the folder was removed from the workspace', async () => {
      const roots = [temporaryFolder(), temporaryFolder()];
      const policy = {
        ...emptyPolicy(),
        rules: () => ({ user: [{ decision: 'allow', command: 'npm test' } as const], workspace: [] }),
      };
      asked = [];
      bench = await SessionBench.open({ sessions: { policy, folders: () => roots } });
      bench.session.onDidAsk((entry) => asked.push(entry));
      await bench.send('text hello');
      assert.equal(bench.session.cwd, roots.shift());
      const turn = bench.send(...runs('t1', 'npm test'), ONCE);
      await bench.until(waits);
      assert.equal(asked.length, 1);
      bench.session.turn.stop();
      await turn;
      for (const root of [bench.session.cwd, ...roots]) rmSync(root, { recursive: true });
    });
  });

  it('answers once without asking if a rule allows the request, and shows the reason', async () => {
    await open([{ decision: 'allow', command: 'npm test' }]);
    await bench.send(...runs('t1', 'npm test'), ONCE);
    assert.match(bench.text, /\[permission t1: allow_once\]/);
    const [permission] = permissions();
    const reason = 'allowed by your rule “command npm test”';
    assert.deepEqual(permission?.outcome, { type: 'selected', optionId: 'allow_once', by: 'rule', reason });
    assert.deepEqual([asked, tools()[0]?.waiting], [[], 0]);
    assert.deepEqual(
      written.map(({ decision, by, command, option }) => [decision, by, command, option]),
      [['allowed', 'rule', 'npm test', 'Once']],
    );
  });

  it('rejects a denied request with the option that rejects once, if there is one, else cancels it', async () => {
    await open([], [{ decision: 'deny', command: 'rm **' }]);
    await bench.send(...runs('t1', 'ls && sudo rm -rf x'), ONCE);
    assert.match(bench.text, /\[permission t1: reject_once\]/);
    assert.deepEqual(tools()[0]?.status, 'rejected');
    await bench.send(...runs('t2', 'rm x'), 'permission t2 allow_once:Yes reject_always:Never');
    assert.match(bench.text, /\[permission t2: reject_always\]/);
    await bench.send(...runs('t3', 'rm x'), 'permission t3 allow_once:Yes');
    assert.match(bench.text, /\[permission t3: cancell?ed\]/);
    assert.deepEqual(
      [asked, written.map(({ decision, by }) => `${decision} ${by}`)],
      [[], ['denied rule', 'denied rule', 'denied rule']],
    );
  });

  it('does not accept the approval of a fetch as permission to write the file that it names', async () => {
    await open([]);
    const path = join(bench.session.folders[0] ?? '', '.vscode', 'tasks.json');
    const turn = bench.send('tool t1 fetch Fetch_it', fields('t1', { locations: [{ path }] }), ONCE, 'sleep 60000');
    await bench.until(waits);
    bench.session.userRequests.answer(permissions()[0]?.permissionId ?? '', 'allow_once');
    await bench.until((state) => !waits(state));
    const { signal } = new AbortController();
    const read = await bench.session.userRequests.authorize(
      { kind: 'read', title: 'Read', otherwise: 'allow', paths: [path] },
      signal,
    );
    assert.equal(read.allowed, true);
    const write = bench.session.userRequests.authorize(
      { kind: 'edit', title: 'Write', otherwise: 'allow', paths: [path] },
      signal,
    );
    await bench.until(waits);
    bench.session.turn.stop();
    assert.equal((await write).allowed, false);
    await turn;
  });

  it('records a request with unclear options', async () => {
    await open([{ decision: 'allow' }]);
    await bench.send(...runs('t1', 'npm-check'), 'permission t1 allow_once:Yes reject_once:No allow_once:Other');
    assert.equal(permissions()[0]?.outcome?.type, 'canceled');
    assert.deepEqual(
      written.map(({ decision, by, command }) => [decision, by, command]),
      [['canceled', 'builtIn', 'npm-check']],
    );
    assert.match(written[0]?.reason ?? '', /the same id/);
  });

  it('asks about a command with too many folders to look up, without delay', async () => {
    await open([]);
    const policy = { ...emptyPolicy(), rules: () => ({ user: [{ decision: 'allow' } as const], workspace: [] }) };
    await policy.engine.load();
    const { folder } = bench;
    const decided = (start: string, path: string): string => {
      const line = `${start}cat ${['a', 'b', 'c', 'd'].map((name) => `${name}/${path}`).join(' ')}`;
      const request = { kind: 'execute', title: 'cat', agent: 'demo', paths: [], folders: [folder] } as const;
      const command = { line, cwd: folder, shell: 'posix' } as const;
      return decideByPolicy(policy, 's', { ...request, cwd: folder, command }).decision;
    };
    const before = process.cpuUsage();
    assert.equal(decided('', 'x/'.repeat(1_000)), 'allow');
    assert.equal(decided('cd k && cd l && cd m && cd n && ', 'x/'.repeat(1_000)), 'ask');
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 1_000_000, `took ${(user + system) / 1_000} ms`);
  });

  it('calls a redirect destructive only if the file exists and has content', async () => {
    await open([]);
    const { folder } = bench;
    writeFileSync(join(folder, 'full.txt'), 'text');
    writeFileSync(join(folder, 'empty.txt'), '');
    const request = {
      kind: 'execute',
      title: 'echo',
      agent: 'demo',
      paths: [],
      folders: [folder],
      cwd: folder,
    } as const;
    const warning = (line: string): string | undefined =>
      decideByPolicy(sharedPolicy, 's', { ...request, command: { line, cwd: folder, shell: 'posix' } }).destructive;
    assert.equal(warning('echo x > full.txt'), '> replaces the content of full.txt');
    assert.equal(warning('echo x > new.txt && echo x > full.txt'), '> replaces the content of full.txt');
    assert.equal(warning('echo x > f*.txt'), '> replaces the content of f*.txt', 'the shell chooses the file');
    for (const name of ['new.txt', 'empty.txt']) assert.equal(warning(`echo x > ${name}`), undefined, name);
    assert.equal(warning('echo x >> full.txt'), undefined);
  });

  it('asks if the agent offers no option for once, with this reason', async () => {
    await open([{ decision: 'allow' }]);
    const turn = bench.send(...runs('t1', 'npm-check'), 'permission t1 allow_always:Always reject_once:No');
    await bench.until(waits);
    assert.match(permissions()[0]?.why ?? '', /but the agent offers no option to allow only once/);
    bench.session.userRequests.answer(permissions()[0]?.permissionId ?? '', 'reject_once');
    await turn;
  });

  it('gives the reason of a request: protection, rule, or irreversible effects', async () => {
    await open([{ decision: 'allow' }, { decision: 'ask', command: 'git push **' }]);
    const turn = bench.send(
      'tool t1 edit Edit',
      fields('t1', { locations: [{ path: '.vscode/settings.json' }] }),
      'permission t1 allow_once:Yes reject_once:No',
      ...runs('t2', 'git push --force'),
      'permission t2 allow_once:Yes reject_once:No',
    );
    for (let index = 0; index < 2; index++) {
      await bench.until((state) => waits(state) && permissions().length === index + 1);
      bench.session.userRequests.answer(permissions()[index]?.permissionId ?? '', 'reject_once');
    }
    await turn;
    const [first, second] = permissions();
    assert.equal(
      first?.why,
      '.vscode/settings.json is read by a tool that can run code from it; this always requires approval',
    );
    assert.equal(second?.why, 'approval required by your rule “command git push **”');
    assert.equal(second?.destructive, 'git overwrites or deletes remote branches or tags');
    assert.deepEqual(
      written.map(({ decision, by }) => `${decision} ${by}`),
      ['denied person', 'denied person'],
    );
  });

  it('resolves links: a name in the workspace that links outside is outside', async () => {
    await open([{ decision: 'allow' }]);
    symlinkSync('/etc/hosts', join(bench.folder, 'notes.txt'));
    for (const script of [
      ['tool t1 edit Edit', fields('t1', { locations: [{ path: join(bench.folder, 'notes.txt') }] })],
      runs('t1', 'cat notes.txt'),
    ]) {
      const before = permissions().length;
      const turn = bench.send(...script, 'permission t1 allow_once:Yes reject_once:No');
      await bench.until(waits);
      assert.match(permissions()[before]?.why ?? '', /hosts is outside the workspace; this always requires approval/);
      bench.session.userRequests.answer(permissions()[before]?.permissionId ?? '', 'reject_once');
      await turn;
    }
  });

  describe('applies rules to the file that a command reaches by links', () => {
    const readAll = { decision: 'allow', command: 'cat **' } as const;
    const grepAll = { decision: 'allow', command: 'grep **' } as const;
    const opens = [
      { decision: 'allow', kind: 'read' },
      { decision: 'allow', kind: 'edit' },
    ] as const;
    const secret = { decision: 'deny', path: 'a/secret/x' } as const;
    const docs = { decision: 'allow', kind: 'edit', path: 'docs/**' } as const;

    for (const [line, rules, outcome] of [
      ['cat side/f', [secret, readAll], 'selected'],
      ['cat side/../secret/x', [secret, readAll], 'asked'],
      ['grep -r word alias', [secret, grepAll], 'asked'],
      ['grep -r word side/../secret', [secret, grepAll], 'asked'],
      ['cat < alias/x', [secret, readAll, ...opens], 'denied'],
      ['cat < side/../secret/x', [secret, readAll, ...opens], 'denied'],
      ['cat side/f > docs/y', [readAll, docs], 'selected'],
      ['cat side/f > docs/out/y', [readAll, docs], 'asked'],
      ['cd a && cat b/f > docs/y', [{ decision: 'allow', command: 'cd **' }, readAll, docs], 'asked'],
      ['mkdir a/gone && cat side/../gone/../far/x', [{ decision: 'allow' }], 'asked'],
      ['cd -P side/.. && cat secret/x', [secret, { decision: 'allow', command: 'cd **' }, readAll], 'asked'],
      ['cd side && cd -P .. && cat secret/x', [secret, { decision: 'allow', command: 'cd **' }, readAll], 'asked'],
      ['cd -P side/.. && cat b/f', [secret, { decision: 'allow', command: 'cd **' }, readAll], 'selected'],
      ['git -C side/.. diff secret/x', [secret, { decision: 'allow', command: 'git **' }], 'asked'],
      ['tar -C side/.. -tf secret/x', [secret, { decision: 'allow', command: 'tar **' }], 'asked'],
      ['env -C side/.. cat secret/x', [secret, { decision: 'allow', command: 'env **' }], 'asked'],
      ['cat side/f > docs/out/y', [readAll, docs, { decision: 'allow', kind: 'edit', path: 'a/**' }], 'selected'],
      ['cat side/f 2> /dev/stderr', [readAll, { decision: 'allow', kind: 'edit', path: '/dev/*' }], 'selected'],
      ['cat side/f > /dev/stdout', [readAll, { decision: 'allow', kind: 'edit', path: '/dev/*' }], 'selected'],
      ['cat side/f > /dev/null', [readAll], 'selected'],
    ] as const) {
      it(line, async () => {
        await open(rules);
        for (const folder of ['a/b', 'a/secret', 'a/docs', 'docs'])
          mkdirSync(join(bench.folder, folder), { recursive: true });
        for (const file of ['a/b/f', 'a/secret/x']) writeFileSync(join(bench.folder, file), 'word');
        symlinkSync(join(bench.folder, 'a/secret'), join(bench.folder, 'alias'));
        symlinkSync(join(bench.folder, 'a/b'), join(bench.folder, 'side'));
        symlinkSync(join(bench.folder, 'a'), join(bench.folder, 'docs/out'));
        symlinkSync(tmpdir(), join(bench.folder, 'a/far'));
        const turn = bench.send(...runs('t1', line), ONCE);
        await bench.until((state) => waits(state) || state.turns.length > 0);
        const [permission] = permissions();
        const answer = permission?.outcome?.type === 'selected' ? permission.outcome.optionId : undefined;
        assert.equal(answer === undefined ? 'asked' : answer === 'reject_once' ? 'denied' : 'selected', outcome);
        if (waits(bench.session.state)) bench.session.turn.stop();
        await turn;
      });
    }
  });

  it('stores “always” for the session, and in the scope that the user selects later', async () => {
    const policy = emptyPolicy();
    bench = await SessionBench.open({ sessions: { policy } });
    const scopes = (): string[] => policy.remembered.list().map(({ scope }) => scope);
    const turn = bench.send(...runs('t1', 'npm test && git status'), ONCE);
    await bench.until(waits);
    const id = permissions()[0]?.permissionId ?? '';
    assert.match(
      (await bench.session.userRequests.alwaysRules.saveRule(id, 'everywhere')).note ?? '',
      /not answered with “always”/,
    );
    bench.session.userRequests.answer(id, 'always');
    await turn;
    assert.deepEqual(scopes(), ['session', 'session']);
    await bench.send(...runs('t2', 'git status'), 'permission t2 allow_once:Once reject_once:No');
    assert.match(bench.text, /\[permission t2: allow_once\]/);
    assert.match(permissions()[1]?.outcome?.reason ?? '', /^allowed by your earlier choice/);
    const other = bench.send(...runs('t3', 'git status --short'), 'permission t3 allow_once:Once reject_once:No');
    await bench.until(waits);
    bench.session.turn.stop();
    await other;
    const { rules } = await bench.session.userRequests.alwaysRules.saveRule(id, 'workspace');
    assert.deepEqual(
      rules.map(({ rule }) => rule.command),
      [
        ['npm', 'test'],
        ['git', 'status'],
      ],
    );
    const note = await bench.session.userRequests.alwaysRules.saveRule('unknown', 'workspace');
    assert.deepEqual(note.rules, []);
  });

  it('creates no rule for a request that always requires approval or cannot be read', async () => {
    const policy = emptyPolicy();
    bench = await SessionBench.open({ sessions: { policy } });
    for (const [command, note] of [
      ['cat .env', /contains credentials/],
      ['npm test $(id)', /command substitution/],
    ] as const) {
      const turn = bench.send(...runs('t1', command), ONCE);
      await bench.until(waits);
      const id = permissions().at(-1)?.permissionId ?? '';
      bench.session.userRequests.answer(id, 'always');
      await turn;
      assert.match((await bench.session.userRequests.alwaysRules.saveRule(id, 'session')).note ?? '', note);
    }
    assert.deepEqual(policy.remembered.list(), []);
  });

  describe('asks for Parley’s own requests', () => {
    const { signal } = new AbortController();
    const write = (path: string): AuthorizationRequest => ({
      kind: 'edit',
      title: `Write ${path}`,
      otherwise: 'allow',
      paths: [path],
      change: async () => ({ path, newText: 'new\n' }),
    });
    const reply = async (optionId: string): Promise<void> => {
      await bench.until(waits);
      bench.session.userRequests.answer(permissions().at(-1)?.permissionId ?? '', optionId);
    };

    it('not for a file in the workspace, and each time for a file outside', async () => {
      await open([{ decision: 'allow' }]);
      const folder = realpathSync(bench.folder);
      const inside = await bench.session.userRequests.authorize(write(join(folder, 'a.txt')), signal);
      assert.deepEqual(inside, { allowed: true, by: 'rule', reason: 'allowed by your rule “every request”' });
      const outside = write('/elsewhere/a.txt');
      let answer = bench.session.userRequests.authorize(outside, signal);
      await reply('reject');
      assert.deepEqual(await answer, { allowed: false, by: 'person', reason: 'the user rejected it' });
      assert.equal(tools()[0]?.status, 'rejected');
      assert.equal(tools()[0]?.content[0]?.type, 'diff');
      answer = bench.session.userRequests.authorize(outside, signal);
      await reply('allowOnce');
      assert.equal((await answer).allowed, true);
      assert.equal(tools()[1]?.status, 'done');
      assert.deepEqual(
        permissions()
          .at(-1)
          ?.options.map(({ name }) => name),
        ['Allow once', 'Reject'],
      );
      answer = bench.session.userRequests.authorize({ ...outside, kind: 'read' }, signal);
      await reply('allowOnce');
      assert.equal((await answer).allowed, true);
      assert.equal(asked.length, 3);
      assert.deepEqual(
        written.map(({ decision, by }) => `${decision} ${by}`),
        ['allowed rule', 'denied person', 'allowed person', 'allowed person'],
      );
    });

    it('not if a rule denies them, and shows that', async () => {
      await open([{ decision: 'deny', path: '*.lock' }]);
      const refused = await bench.session.userRequests.authorize(write(join(bench.folder, 'x.lock')), signal);
      assert.deepEqual(refused, { allowed: false, by: 'rule', reason: 'denied by your rule “files *.lock”' });
      assert.deepEqual([permissions().length, tools()[0]?.status, asked], [1, 'rejected', []]);
    });

    it('not if the user approved them in the same turn, but again in the next turn', async () => {
      await open([]);
      const path = join(bench.folder, 'package.json');
      writeFileSync(path, '{}');
      const turn = bench.send(
        'tool t1 edit Edit',
        fields('t1', { content: [{ type: 'diff', path, oldText: '{}', newText: '{ }' }] }),
        'permission t1 allow_once:Yes reject_once:No',
        'until-cancel',
      );
      await reply('allow_once');
      const change: AuthorizationRequest['change'] = () => Promise.resolve({ path, oldText: '{}', newText: '{ }' });
      assert.deepEqual(await bench.session.userRequests.authorize({ ...write(path), change }, signal), {
        allowed: true,
        by: 'session',
        reason: 'you approved this action in this turn',
      });
      assert.equal(asked.length, 1);
      bench.session.turn.stop();
      await turn;
      const again = bench.session.userRequests.authorize(write(path), signal);
      await reply('reject');
      assert.equal((await again).allowed, false);
    });

    it('for a tool that always requires approval, even with an allow rule, unless the agent asked', async () => {
      await open([{ decision: 'allow', tool: '*' }]);
      const call: AuthorizationRequest = {
        kind: 'execute',
        title: 'tasks run',
        otherwise: 'ask',
        always: 'it runs a task',
        tool: 'tasks__run',
        input: { task: 'build' },
      };
      assert.deepEqual(await bench.session.userRequests.authorize({ ...call, isAgreed: true }, signal), {
        allowed: true,
        by: 'session',
        reason: 'you approved this call just now',
      });
      const second = bench.session.userRequests.authorize(call, signal);
      await reply('reject');
      assert.deepEqual(await second, { allowed: false, by: 'person', reason: 'the user rejected it' });
      assert.deepEqual(
        [
          permissions().at(-1)?.why,
          permissions()
            .at(-1)
            ?.options.map(({ name }) => name),
        ],
        ['it runs a task', ['Allow once', 'Reject']],
      );
    });

    it('for an approved command with other variables or in another folder', async () => {
      await open([{ decision: 'ask', command: 'npm **' }]);
      const folder = realpathSync(bench.folder);
      const runNpm = (more: object = {}): AuthorizationRequest => ({
        kind: 'execute',
        title: 'npm test',
        otherwise: 'allow',
        command: { argv: ['npm', 'test'], ...more },
      });
      const turn = bench.send(...runs('t1', 'npm test'), ONCE, 'until-cancel');
      await reply('allow_once');
      assert.equal(
        (await bench.session.userRequests.authorize(runNpm(), signal)).reason,
        'you approved this action in this turn',
      );
      const plain = runNpm({ env: { NO_COLOR: '1' }, cwd: folder });
      assert.equal(
        (await bench.session.userRequests.authorize(plain, signal)).reason,
        'you approved this action in this turn',
      );
      for (const more of [{ env: { STAGE: 'production' } }, { cwd: join(folder, 'packages') }]) {
        let answer = bench.session.userRequests.authorize(runNpm(more), signal);
        await reply('reject');
        assert.equal((await answer).allowed, false, JSON.stringify(more));
        answer = bench.session.userRequests.authorize(runNpm(more), signal);
        await reply('allowOnce');
        assert.equal((await answer).allowed, true);
      }
      const other = bench.session.userRequests.authorize(runNpm({ env: { STAGE: 'staging' } }), signal);
      await reply('reject');
      assert.equal((await other).allowed, false);
      bench.session.turn.stop();
      await turn;
    });

    it('for a command with variables that the approved request did not show', async () => {
      await open([{ decision: 'ask', command: 'npm **' }]);
      const env = [{ name: 'STAGE', value: 'x' }];
      const input = fields('t1', { rawInput: { command: 'npm test', env } });
      const turn = bench.send('tool t1 execute Run_it', input, ONCE, 'until-cancel');
      await reply('allow_once');
      const question = (given?: object): AuthorizationRequest => ({
        kind: 'execute',
        title: 'npm test',
        otherwise: 'allow',
        command: { argv: ['npm', 'test'], ...(given && { env: given as Record<string, string> }) },
      });
      const same = await bench.session.userRequests.authorize(question({ STAGE: 'x' }), signal);
      assert.equal(same.reason, 'you approved this action in this turn');
      const without = bench.session.userRequests.authorize(question(), signal);
      await reply('reject');
      assert.equal((await without).allowed, false);
      bench.session.turn.stop();
      await turn;
    });

    it('until the request is canceled', async () => {
      await open([]);
      const abort = new AbortController();
      const answer = bench.session.userRequests.authorize(write('/elsewhere/a.txt'), abort.signal);
      await bench.until(waits);
      abort.abort();
      assert.deepEqual(await answer, { allowed: false, by: 'builtIn', reason: 'withdrawn by the agent' });
    });
  });
});
