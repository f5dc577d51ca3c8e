import assert from 'node:assert/strict';
import { stat, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createDeferred } from '../../../../src/base/async';
import { Emitter } from '../../../../src/base/event';
import { nullLogger } from '../../../../src/base/logger';
import type { ChangeReview } from '../../../../src/review/changeReview';
import type { WorkspaceCheckpoints } from '../../../../src/review/checkpoints/workspaceCheckpoints';
import { ReviewPublisher } from '../../../../src/review/reviewPublisher';
import { readContent, unknownBecause } from '../../../../src/review/storage/fileContent';
import type { FileContent } from '../../../../src/review/storage/fileContent';
import type { TurnRecorder } from '../../../../src/review/tracking/agentTurns';
import { AgentTurns } from '../../../../src/review/tracking/agentTurns';
import { ChangeTracker } from '../../../../src/review/tracking/changeTracker';
import { contentBeforeDiff } from '../../../../src/review/tracking/contentBeforeDiff';
import { ModifiedFiles } from '../../../../src/review/tracking/modifiedFiles';
import { ReviewScopes, ReviewPaths } from '../../../../src/review/tracking/reviewScope';
import { contentKey, turnFiles } from '../../../../src/review/tracking/turnChanges';
import type { WorkingAgents } from '../../../../src/review/tracking/workingAgents';
import type { WorkingFiles } from '../../../../src/review/tracking/workingFiles';
import type { WorkSigns } from '../../../../src/review/tracking/workSigns';
import type { Sessions } from '../../../../src/session/sessions';
import type { ToolPatch } from '../../../../src/shared/state/toolCallState';
import type { TurnFile } from '../../../../src/shared/state/turnSummary';
import { stubOf } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { until } from '../../../kit/waiting';
import { FakeSession } from '../../ui/fakes';
import { agentsIn } from '../otherWork';

const file = (bytes: string): FileContent => ({ mode: '100644', bytes });

describe('turns under review, without snapshots', () => {
  let folder: string;
  let outside: string;
  let modifiedFiles: ModifiedFiles;
  let agents: WorkingAgents;
  let turns: AgentTurns;
  let tracker: ChangeTracker;
  /** Reported turns: the entry of the prompt, and the files. */
  let told: [number, readonly TurnFile[]][];
  let disk = readContent;
  /** The folder in which an agent of another window works. */
  let othersWork: string | undefined;
  let endProblem: Error | undefined;
  let atEnd: () => Promise<void>;
  /** Folders that other windows see. */
  const shown: string[] = [];

  beforeEach(() => {
    disk = readContent;
    endProblem = undefined;
    atEnd = async () => undefined;
    folder = temporaryFolder();
    outside = temporaryFolder();
    modifiedFiles = new ModifiedFiles(basename);
    told = [];
    const scopes = new ReviewScopes(() => [folder]);
    othersWork = undefined;
    const windows = stubOf<WorkSigns>({
      isElsewhere: ([path = '']) => othersWork !== undefined && path.startsWith(othersWork),
      show: (folders) => {
        shown.push(...folders);
        return { dispose: () => void shown.splice(0) };
      },
    });
    agents = agentsIn(scopes, undefined, windows);
    const trackedFiles = stubOf<WorkingFiles>({
      readUnsaved: async () => undefined,
      saved: async () => undefined,
      disk: readContent,
      unknownBecause,
    });
    const baseline = { lookUp: async () => new Map(), changedPaths: async () => [] };
    tracker = new ChangeTracker(modifiedFiles, trackedFiles, baseline, agents, nullLogger);
    const recorder: TurnRecorder = {
      recordStart: async () => undefined,
      recordEnd: async ({ sessionId, entry, before }) => {
        if (endProblem) throw endProblem;
        await atEnd();
        told.push([entry, turnFiles(modifiedFiles, sessionId, before)]);
      },
    };
    const files = stubOf<WorkingFiles>({ disk: (path) => disk(path), unsavedPaths: () => [] });
    turns = new AgentTurns(agents, tracker, files, new ReviewPaths(() => [folder]), recorder, nullLogger);
  });

  afterEach(async () => {
    modifiedFiles.dispose();
    await Promise.all([folder, outside].map((each) => rm(each, { recursive: true, force: true })));
  });

  class OneSession extends FakeSession {
    override readonly folders = [folder];
    texts: { path: string; oldText: string; newText: string } | undefined;

    constructor(id: string) {
      super(id);
      this.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
    }

    override diff(): { path: string; oldText: string; newText: string } | undefined {
      return this.texts;
    }

    names(patch: ToolPatch): void {
      turns.recordToolLocations(this, { type: 'toolStarted', toolCallId: 't', patch, at: 2 });
    }
  }

  const at = (path: string): ToolPatch => ({ tool: 'edit', locations: [{ path, label: path }] });

  /** A file from before the turn. */
  async function old(path: string, text: string): Promise<void> {
    await writeFile(path, text);
    await utimes(path, 1, 1);
    // The ctime of a file cannot be set, so the test waits until it has passed.
    const { ctimeMs } = await import('node:fs').then(({ statSync }) => statSync(path));
    await until(() => Date.now() > ctimeMs + 1);
  }

  it('copies a file that the agent names before it is changed', async () => {
    const path = join(folder, 'a.txt');
    await old(path, 'before\n');
    const session = new OneSession('s');
    await turns.start(session, 0);
    session.names(at(path));
    await until(() => modifiedFiles.get(path));
    await writeFile(path, 'agent\n');
    await turns.end('s');
    assert.equal(modifiedFiles.get(path)?.attribution.base?.bytes, 'before\n');
    assert.deepEqual(modifiedFiles.file(path)?.sessions, ['s']);
  });

  it('tells other windows in which folders it works, until it ends', async () => {
    const session = new OneSession('s');
    await turns.start(session, 0);
    assert.deepEqual(shown, [folder]);
    endProblem = new Error('the end cannot be recorded');
    await turns.end('s');
    assert.deepEqual(shown, []);
  });

  it('reviews an edit that begins when the turn has been scanned, and is done after its end', async () => {
    const path = join(folder, 'a.txt');
    await old(path, 'before\n');
    const session = new OneSession('s');
    await turns.start(session, 0);
    const [begun, ended] = [createDeferred<void>(), createDeferred<void>()];
    let edit: Promise<void> | undefined;
    atEnd = async () => {
      edit = tracker.runAgentEdit('s', path, async () => {
        begun.resolve();
        await ended.promise;
        await writeFile(path, 'applied\n');
      });
      await begun.promise;
    };
    const end = turns.end('s');
    await begun.promise;
    await until(() => !agents.isWorking);
    ended.resolve();
    await Promise.all([end, edit]);
    assert.deepEqual(modifiedFiles.file(path)?.sessions, ['s']);
  });

  it('reports the changes of each turn only', async () => {
    const [first, second] = ['a.txt', 'b.txt'].map((name) => join(folder, name)) as [string, string];
    await old(first, 'one\ntwo\n');
    await old(second, 'x\n');
    const session = new OneSession('s');
    await turns.start(session, 0);
    session.names(at(first));
    await until(() => modifiedFiles.get(first));
    await writeFile(first, 'one\n2\nthree\n');
    await turns.end('s');
    await turns.start(session, 3);
    session.names(at(second));
    await until(() => modifiedFiles.get(second));
    await rm(second);
    await turns.end('s');
    const mark = contentKey(file('one\n2\nthree\n'));
    const before = contentKey(file('one\ntwo\n'));
    assert.deepEqual(told, [
      [0, [{ path: first, label: 'a.txt', status: 'changed', added: 2, removed: 1, before, mark }]],
      [3, [{ path: second, label: 'b.txt', status: 'deleted', added: 0, removed: 1, before: contentKey(file('x\n')) }]],
    ]);
  });

  it('derives the earlier content from a diff that arrives after the change', async () => {
    const path = join(folder, 'late.txt');
    await old(path, 'x');
    const session = new OneSession('s');
    await turns.start(session, 0);
    // File timestamps come from a clock that may lag: a file written just now can look older than the turn.
    const begun = Date.now();
    do await writeFile(path, '1\nnew\n3\n');
    while ((await stat(path)).ctimeMs < begun);
    session.texts = { path, oldText: 'old\n', newText: 'new\n' };
    const diff = {
      type: 'diff',
      diffId: 'd',
      path,
      label: 'late.txt',
      isNew: false,
      added: 1,
      removed: 1,
      hunks: [],
    } as const;
    session.names({ tool: 'edit', content: [diff] });
    await until(() => modifiedFiles.file(path));
    assert.equal(modifiedFiles.get(path)?.attribution.base?.bytes, '1\nold\n3\n');
  });

  it('does not take for the content before an edit what the agent writes while it is read', async () => {
    const path = join(folder, 'a.txt');
    await old(path, 'one\ntwo\n');
    const session = new OneSession('s');
    session.texts = { path, oldText: 'two', newText: 'TWO' };
    await turns.start(session, 0);
    const begun = Date.now();
    disk = async (asked) => {
      // Time for what is read in parallel.
      for (let count = 0; count < 20; count++) await stat(asked);
      do await writeFile(path, 'one\nTWO\n');
      while ((await stat(path)).ctimeMs < begun);
      return readContent(asked);
    };
    const shown = { label: path, isNew: false, added: 1, removed: 1, hunks: [] };
    session.names({ ...at(path), content: [{ type: 'diff', path, diffId: 'd', ...shown }] });
    await until(() => modifiedFiles.get(path));
    assert.equal(modifiedFiles.get(path)?.attribution.base?.bytes, 'one\ntwo\n');
  });

  it('counts as the user’s what another program has written into a reviewed file before the turn', async () => {
    const path = join(folder, 'a.txt');
    await old(path, 'one\n');
    const session = new OneSession('s');
    await turns.start(session, 0);
    session.names(at(path));
    await until(() => modifiedFiles.get(path));
    await writeFile(path, 'one\nagent\n');
    await turns.end('s');
    await writeFile(path, 'mine\none\nagent\n');
    // Before the file watcher has reported it.
    await turns.start(session, 3);
    await turns.end('s');
    assert.equal(modifiedFiles.get(path)?.attribution.base?.bytes, 'mine\none\n');
  });

  it('copies no file outside the workspace', async () => {
    const path = join(outside, 'secret');
    await old(path, 'secret');
    const session = new OneSession('s');
    await turns.start(session, 0);
    session.names(at(path));
    session.names(at(`${folder}/../${path.split('/').at(-2)}/secret`));
    await turns.end('s');
    assert.deepEqual(modifiedFiles.paths(), []);
  });

  it('attributes a change to the agent that named the file', async () => {
    const [one, two] = [new OneSession('one'), new OneSession('two')];
    await turns.start(one, 0);
    await turns.start(two, 0);
    two.names(at(join(folder, 'b.txt')));
    assert.deepEqual(agents.sessionsWorkingOn(join(folder, 'b.txt')), ['two']);
    assert.deepEqual(agents.sessionsWorkingOn(join(folder, 'c.txt')), ['one', 'two']);
    await turns.end('one');
    assert.deepEqual(agents.sessionsWorkingOn(join(folder, 'c.txt')), ['two']);
  });

  it('does not know who changed an unnamed file while all agents run on other computers', async () => {
    const [far, near] = [new OneSession('far'), new OneSession('near')];
    const change = { before: undefined, after: file('new\n') };
    await turns.start(Object.assign(far, { isRemote: true }), 0);
    far.names(at(join(folder, 'named.txt')));
    assert.equal(await agents.writerOf(join(folder, 'named.txt'), change), 'agent');
    assert.equal(await agents.writerOf(join(folder, 'a.txt'), change), 'unknown');
    await turns.start(near, 0);
    assert.equal(await agents.writerOf(join(folder, 'a.txt'), change), 'agent');
  });

  it('does not know who changed an unnamed file while an agent of another window works around it', async () => {
    const session = new OneSession('s');
    const change = { before: undefined, after: file('new\n') };
    await turns.start(session, 0);
    session.names(at(join(folder, 'named.txt')));
    othersWork = join(folder, 'sub');
    assert.equal(await agents.writerOf(join(folder, 'named.txt'), change), 'agent');
    assert.equal(await agents.writerOf(join(folder, 'a.txt'), change), 'agent');
    assert.equal(await agents.writerOf(join(folder, 'sub', 'a.txt'), change), 'unknown');
  });

  it('does not count an agent as working after its turn was stopped', async () => {
    const session = new OneSession('s');
    session.dispatch({ type: 'turnEnded', stopReason: 'cancelled', at: 2 });
    await turns.start(session, 0);
    assert.equal(agents.isWorking, false);
  });

  it('does not count an agent as working after the end of its turn could not be recorded', async () => {
    const session = new OneSession('s');
    await turns.start(session, 0);
    endProblem = new Error('ENOSPC');
    await turns.end('s');
    assert.equal(agents.isWorking, false);
  });

  it('does not count an agent as working after its session was closed during the turn', async () => {
    const session = new OneSession('s');
    const [closed, quiet] = [new Emitter<string>(), new Emitter<never>()];
    const onDidChange = quiet.event;
    const sessions = stubOf<Sessions>({
      allOpen: () => [session],
      getOpen: () => session,
      onDidChange,
      onDidChangeActive: onDidChange,
      onDidClose: closed.event,
    });
    const review = stubOf<ChangeReview>({ files: () => [], onDidChange });
    const checkpoints = stubOf<WorkspaceCheckpoints>({ infosOf: () => [], onDidChange });
    const tell = new ReviewPublisher(sessions, review, checkpoints, turns);
    await turns.start(session, 0);
    assert.equal(agents.isWorking, true);
    // The turn never ends.
    closed.fire('s');
    await turns.idle();
    assert.equal(agents.isWorking, false);
    tell.dispose();
  });

  it('reverts an edit only if its text occurs once', () => {
    const known = (oldText: string, newText: string): unknown =>
      contentBeforeDiff(file('a\nnew\nb\nb\n'), { oldText, newText });
    assert.deepEqual(known('old\n', 'new\n'), { content: file('a\nold\nb\nb\n') });
    assert.equal(known('c\n', 'b\n'), undefined);
    assert.equal(known('c\n', 'not there'), undefined);
    assert.equal(known('c\n', ''), undefined);
    assert.deepEqual(contentBeforeDiff(file('all\n'), { oldText: '', newText: 'all\n' }), { content: undefined });
  });
});
