// Imported first: later imports get this stub of `vscode`.
import { commands, resetStub, stub, toasts } from '../../vscodeStub';
import assert from 'node:assert/strict';
import { entriesFrom } from '../../../../../src/shared/state/entryPages';
import { PlanEditor } from '../../../../../src/ui/chat/content/planEditor';
import { SessionBench } from '../../../session/sessionBench';

const PLAN = ['tool plan switch_mode Plan', `fields plan ${JSON.stringify({ rawInput: { plan: 'Do all' } })}`];

describe('an edited plan', () => {
  let bench: SessionBench;
  let editor: PlanEditor;
  let text: string;
  const notices: (string | undefined)[] = [];
  const before = { window: { ...stub.window }, workspace: { ...stub.workspace } };
  const { Range, WorkspaceEdit } = stub;
  const document = { uri: 'untitled:1', getText: () => text, positionAt: (at: number) => at };
  const other = { uri: 'file:///other.txt' };
  const tabs = [other, document].map(({ uri }) => ({ input: Object.assign(new stub.TabInputText(), { uri }) }));
  let closed: unknown[] = [];

  beforeEach(async () => {
    resetStub();
    notices.length = 0;
    closed = [];
    Object.assign(stub, {
      Range: Object,
      WorkspaceEdit: class {
        readonly replace = (): void => undefined;
      },
    });
    Object.assign(stub.window, {
      activeTextEditor: { document },
      showTextDocument: async () => undefined,
      // VS Code would ask about an untitled document with text.
      tabGroups: { all: [{ tabs }], close: async (some: typeof tabs) => void closed.push(text, ...some) },
    });
    Object.assign(stub.workspace, {
      textDocuments: [document],
      onDidCloseTextDocument: () => ({ dispose: () => undefined }),
      applyEdit: async () => {
        text = '';
        return true;
      },
      openTextDocument: async (options: { content: string }) => {
        text = options.content;
        return document;
      },
    });
    editor = new PlanEditor((notice, id) => void notices.push(`${id === bench.session.id}: ${notice?.text}`));
    bench = await SessionBench.open();
  });
  afterEach(async () => {
    editor.dispose();
    await bench.close();
    Object.assign(stub, { Range, WorkspaceEdit });
    Object.assign(stub.window, before.window);
    Object.assign(stub.workspace, before.workspace);
  });

  /** The agent proposes a plan; after the answer it runs the rest. */
  async function open(...rest: string[]): Promise<void> {
    void bench.send(...PLAN, 'permission plan allow_once:Yes reject_once:No', ...rest);
    await bench.until(({ waiting }) => waiting.length === 1);
    const [, asked] =
      Array.from(entriesFrom(bench.session.state.entries)).find(([, { kind }]) => kind === 'permission') ?? [];
    assert.ok(asked?.kind === 'permission');
    await editor.open(bench.session, asked.permissionId);
  }

  const prompts = (): string[] =>
    Array.from(entriesFrom(bench.session.state.entries)).flatMap(([, entry]) =>
      entry.kind === 'user' ? [entry.text] : [],
    );

  for (const reason of ['end_turn', 'cancelled', 'refusal']) {
    it(`is also sent if the turn ends as ${reason} after the rejection`, async () => {
      await open(`stop ${reason}`);
      text = 'Do half';
      await editor.send();
      await bench.until(({ turns, turn }) => turns.length === 2 && turn.status === 'idle');
      assert.equal(prompts()[1], 'Follow this plan instead:\n\nDo half');
      assert.equal(bench.session.state.turns[0]?.stopReason, reason);
      assert.deepEqual(bench.session.state.queue, { messages: [] });
    });
  }

  it('closes its own tab without a question, whatever editor is active by then', async () => {
    await open();
    text = 'Do half';
    const send = bench.session.send.bind(bench.session);
    // The user, or Follow, shows a file meanwhile.
    Object.assign(bench.session, {
      send: (...message: Parameters<typeof send>) => {
        Object.assign(stub.window, { activeTextEditor: { document: other } });
        return send(...message);
      },
    });
    await editor.send();
    assert.deepEqual(closed, ['', tabs[1]]);
    assert.deepEqual(
      commands.filter((id) => id !== 'setContext'),
      [],
    );
    await bench.until(({ turns, turn }) => turns.length === 2 && turn.status === 'idle');
  });

  it('is sent before queued messages', async () => {
    await open('stop cancelled');
    await bench.session.send('text later');
    text = 'Do half';
    await editor.send();
    await bench.until(({ turns, turn }) => turns.length === 3 && turn.status === 'idle');
    assert.match(prompts()[1] ?? '', /Do half/);
    assert.equal(prompts()[2], 'text later');
  });

  it('is not sent if unchanged, with a notice in the chat', async () => {
    await open();
    await editor.send();
    assert.deepEqual(notices, ['true: The plan was not changed. Answer the request in the chat.']);
    assert.deepEqual([toasts, bench.session.state.waiting.length], [[], 1]);
    assert.deepEqual(closed, []);
    bench.session.turn.stop();
    await bench.until(({ turn }) => turn.status === 'idle');
  });
});
