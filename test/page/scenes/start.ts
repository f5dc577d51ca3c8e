import type { Action } from '../../../src/shared/state/sessionActions';
import type { Connection } from '../../../src/shared/state/sessionState';
import { environment } from '../harness';
import { scenesOf } from './scene';

const connection = (of: Connection): Action => ({ type: 'connectionChanged', connection: of });

const methods = [
  { id: 'browser', name: 'Browser', description: 'Opens the browser', type: 'agent' },
  { id: 'tui', name: 'Terminal', type: 'terminal', command: 'agent --login' },
  { id: 'key', name: 'API key', type: 'unsupported', unsupportedType: 'env_var' },
] as const;
const signIn = { status: 'signIn', message: 'Claude requires sign-in.', methods } as const;

const appFile = { kind: 'active', uri: 'file:///work/one/app/src/app.ts', label: 'app/src/app.ts' } as const;
const folders = {
  roots: [
    { path: '/work/one/app', name: 'app' },
    { path: '/work/two/app', name: 'app' },
    { path: '/work/documentation', name: 'documentation' },
  ],
  initial: '/work/one/app',
};

const oneFolder = { roots: [{ path: '/work/one/app', name: 'app' }], initial: '/work/one/app' };

/** States before a conversation, and errors that prevent it. */
export const startScenes = scenesOf({
  empty: (page) => page.act(connection({ status: 'ready' })),
  chooser: (page) =>
    page.snapshot([], {
      ...environment,
      found: [
        { name: 'gemini', title: 'Gemini CLI', description: '/opt/tools/bin/gemini --acp', known: 'gemini' },
        {
          name: 'goose',
          title: 'goose',
          description: `/home/me/${'very-long/'.repeat(12)}goose acp`,
          known: 'goose',
        },
      ],
    }),
  /** With earlier sessions. */
  returning: async (page) => {
    await page.act({ type: 'agentNamed', agent: { name: 'claude', title: 'Claude' } });
    const agents = [
      ...environment.agents,
      { name: 'codex-acp', title: 'Codex', description: '1.2.0 from the ACP Registry', known: 'codex-acp' },
      { name: 'mine', title: 'My agent', description: 'node agent.js' },
    ];
    const recent = [
      {
        id: 's1',
        title: 'Retry uploads that fail on a flaky network',
        agent: 'claude',
        description: 'Claude · 5 min · +166 −12',
      },
      { id: 's2', title: 'Why does the build fail?', agent: 'codex-acp', description: 'Codex · waiting for you' },
      { id: 's3', title: 'Tour', agent: 'demo', description: 'Demo agent · 2 d · Show me what you can do' },
    ];
    const facts = { hasProblems: true, hasChanges: true };
    await page.post({
      type: 'environment',
      environment: { ...environment, agents, recent, facts, folders: oneFolder },
    });
    await page.page.getByRole('group', { name: page.say('Recent sessions') }).waitFor();
  },
  /** Presets, one of them selected. */
  presets: async (page) => {
    const agents = [
      ...environment.agents,
      { name: 'codex-acp', title: 'Codex', description: '1.2.0 from the ACP Registry', known: 'codex-acp' },
    ];
    const named = (name: string, agent: string) => ({ name, agent });
    const presets = [
      named('Deep work', 'claude'),
      named('Review, read-only, with a name that is longer than its row', 'codex-acp'),
      named('<b>Markup</b>', 'claude'),
      named('Demo agent', 'gone'),
      named('ردود سريعة', 'claude'),
      named('Sixth', 'claude'),
    ];
    const recent = [{ id: 's1', title: 'Retry uploads', agent: 'claude', description: 'Claude · 5 min' }];
    await page.post({ type: 'environment', environment: { ...environment, agents, presets, recent } });
    await page.act({ type: 'agentNamed', agent: { name: 'claude', title: 'Claude' } });
    await page.act({ type: 'presetChosen', preset: { name: 'Deep work', agent: 'claude' } });
    await page.page.locator('.presets [aria-pressed=true]').waitFor();
  },
  /** After an update, with an agent other than the built-in one. */
  updated: async (page) => {
    await page.act({ type: 'agentNamed', agent: { name: 'claude', title: 'Claude' } });
    const editor = { kind: 'active', uri: 'file:///work/src/app.ts', label: 'src/app.ts' } as const;
    await page.post({ type: 'environment', environment: { ...environment, editor, whatsNew: '0.2' } });
    await page.page.getByRole('note', { name: page.say('Update') }).waitFor();
  },
  'chooser-full': async (page) => {
    await page.act({ type: 'agentNamed', agent: { name: 'claude', title: 'Claude' } });
    const found = ['codex', 'gemini', 'goose', 'opencode'].map((name) => ({
      name,
      title: name,
      description: `/opt/${name}`,
    }));
    const editor = { kind: 'lines', uri: 'file:///w/a.ts', label: 'a.ts', lines: { first: 1, last: 9 } } as const;
    await page.post({
      type: 'environment',
      environment: { ...environment, found, editor, trusted: false, whatsNew: '0.2' },
    });
    await page.page.getByRole('note', { name: page.say('Update') }).waitFor();
  },
  /** In a workspace with several folders: the selection before the first message, open, and the chip after it. */
  'folder-closed': (page) => page.snapshot([], { ...environment, folders, editor: appFile }),
  folder: async (page) => {
    await page.snapshot([], { ...environment, folders });
    await page.page.getByRole('combobox', { name: page.say('Folder') }).click();
  },
  'folder-chip': async (page) => {
    await page.snapshot([], { ...environment, folders, editor: appFile });
    await page.act({ type: 'folderChosen', folder: '/work/two/app/packages/a long name of a package/inside' });
    await page.act({ type: 'promptSent', text: 'Hello', blocks: [], at: 0 });
    await page.page.getByRole('group', { name: page.say('Folder'), exact: true }).waitFor();
  },
  untrusted: (page) => page.snapshot([], { ...environment, trusted: false }),
  starting: (page) => page.act(connection({ status: 'starting' })),
  reconnecting: (page) => page.act(connection({ status: 'reconnecting', attempt: 2 })),
  'sign-in': (page) => page.act(connection({ ...signIn, detail: 'Authentication required' })),
  'signing-in': (page) => page.act(connection({ ...signIn, signingIn: 'Browser' })),
  'sign-in-failed': (page) => page.act(connection({ ...signIn, error: 'Browser failed: it was closed.' })),
});
