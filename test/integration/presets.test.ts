import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { JsonObject } from '../../src/base/json';
import { displayedValue } from '../../src/shared/state/configOptionState';
import { entriesFrom } from '../../src/shared/state/entryPages';
import { fakeAgent } from '../fakeAgent/definition';
import { becomes, untilEvent } from '../kit/waiting';
import { replaceDialogs } from './replaceDialogs';

const configOptions = [
  {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: 's',
    options: [
      { value: 's', name: 'Small' },
      { value: 'l', name: 'Large' },
    ],
  },
];
const systemPrompt = JSON.stringify({ sessionCapabilities: { systemPrompt: {} } });

describe('presets in the extension host', () => {
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('parley');
  const set = (key: string, value: unknown): Thenable<void> =>
    settings().update(key, value, vscode.ConfigurationTarget.Global);
  const folder = mkdtempSync(join(tmpdir(), 'parley-presets-'));
  const log = join(folder, 'received.jsonl');
  let api: TestApi;
  let restore: () => void = () => undefined;
  let errors: string[] = [];

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    const entry = (more: Record<string, string>): JsonObject => {
      const { command, args, env } = fakeAgent({
        FAKE_LOG: log,
        FAKE_NEW_RESULT: JSON.stringify({ configOptions }),
        ...more,
      });
      return { command, args, env };
    };
    await set('agents', { Plain: entry({}), Prompted: entry({ FAKE_CAPABILITIES: systemPrompt }) });
    await set('presets', {
      Plain: { agent: 'Plain', options: { Model: 'Large', Effort: 'high' }, instructions: 'Be short.' },
      Prompted: { agent: 'Prompted', instructions: 'Be long.', tools: { deny: ['code__*'] } },
      '$(x) Gone': { agent: 'Gone' },
    });
  });

  beforeEach(() => {
    errors = [];
    restore = replaceDialogs({ showErrorMessage: async (message: string) => void errors.push(message) });
  });

  afterEach(() => restore());

  after(async () => {
    await set('presets', undefined);
    await set('agents', undefined);
    rmSync(folder, { recursive: true, force: true });
  });

  const received = (method: string): JsonObject[] =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject)
      .flatMap((message) => (message['method'] === method ? [message['params'] as JsonObject] : []));
  const kinds = (): string[] =>
    Array.from(entriesFrom(api.sessions.active.state.entries), ([, entry]) =>
      entry.kind === 'notice' ? `${entry.title}: ${entry.text}` : entry.kind,
    );

  it('starts a chat with the options, and names one that the agent does not have', async () => {
    await vscode.commands.executeCommand('parley.newChatWithPreset', 'Plain');
    const { active } = api.sessions;
    await untilEvent(active.onDidDispatch, () => kinds().some((text) => text.includes('no option')));
    assert.deepEqual(active.state.selectors.map(displayedValue), ['l']);
    assert.deepEqual(kinds(), ['Some options of the preset “Plain” were not set: The agent has no option “Effort”.']);
    await active.send('text hello');
    assert.match(JSON.stringify(received('session/prompt').at(-1)), /Be short\..*text hello/);
    const users = Array.from(entriesFrom(active.state.entries)).flatMap(([, one]) =>
      one.kind === 'user' ? [one] : [],
    );
    assert.deepEqual(
      users.map(({ blocks }) => blocks.length),
      [1],
    );
  });

  it('gives instructions as the system prompt, and narrows the tools of this session only', async () => {
    await vscode.commands.executeCommand('parley.newChatWithPreset', 'Prompted');
    const { active } = api.sessions;
    await untilEvent(active.onDidDispatch, () => active.state.agentSession !== undefined);
    assert.deepEqual(received('session/new').at(-1)?.['systemPrompt'], {
      mode: 'append',
      content: [{ type: 'text', text: 'Be long.' }],
    });
    await active.send('text hello');
    assert.doesNotMatch(JSON.stringify(received('session/prompt').at(-1)), /Be long/);
    const states = (): string[] => {
      const code = api.mcp.panel.stateFor(active).servers.find(({ name }) => name === 'code');
      return [code?.unavailableReason ?? 'available'];
    };
    assert.match(states().join(), /denied by "code__\*"/);
    // The preset of a chat stays as it was when the chat began.
    await set('presets', { ...settings().get<object>('presets'), Prompted: { agent: 'Prompted' } });
    assert.match(states().join(), /denied by "code__\*"/);
  });

  it('lists presets first in Select Agent, and says why one cannot be used', async () => {
    let labels: string[] = [];
    const pick = async (items: readonly vscode.QuickPickItem[]): Promise<vscode.QuickPickItem | undefined> => {
      labels = items.map(({ label }) => label);
      return items.find(({ label }) => label.endsWith('Gone'));
    };
    const own = replaceDialogs({ showQuickPick: pick });
    await vscode.commands.executeCommand('parley.selectAgent');
    own();
    assert.deepEqual(labels.slice(0, 4), ['Presets', 'Plain', 'Prompted', '$\u2060(x) Gone']);
    assert.deepEqual(labels.slice(-2), ['This Chat', '$(save) Save as Preset…']);
    assert.deepEqual(errors, [
      'The preset “$(x) Gone” uses the agent “Gone”, which is not available. Install the agent, or change the preset in your user settings.',
    ]);
    await vscode.commands.executeCommand('parley.newChatWithPreset', 'No such');
    assert.match(errors.at(-1) ?? '', /There is no preset “No such”/);
  });

  it('saves agent, options and what else the chat has in the user settings', async () => {
    await vscode.commands.executeCommand('parley.newChatWithPreset', 'Plain');
    const { active } = api.sessions;
    await untilEvent(active.onDidDispatch, () => kinds().some((text) => text.includes('no option')));
    const own = replaceDialogs({
      showInputBox: async (options: vscode.InputBoxOptions) => {
        assert.equal(options.value, 'Plain');
        assert.equal(typeof (await options.validateInput?.(' ')), 'string');
        return ' Mine ';
      },
    });
    await vscode.commands.executeCommand('parley.saveAsPreset');
    own();
    const saved = settings().inspect<Record<string, JsonObject>>('presets')?.globalValue ?? {};
    assert.deepEqual(saved['Mine'], { agent: 'Plain', options: { model: 'l' }, instructions: 'Be short.' });
    assert.deepEqual(Object.keys(saved), ['Plain', 'Prompted', '$(x) Gone', 'Mine']);
    await vscode.commands.executeCommand('parley.newChatWithPreset', 'Mine');
    await becomes(() => api.sessions.active.state.selectors.map(displayedValue), ['l']);
  });
});
