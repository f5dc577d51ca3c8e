import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TerminalLaunch } from '../../src/agent/connection/authMethods';
import type { Block } from '../../src/shared/state/contentBlocks';
import type { ElicitationAnswer } from '../../src/shared/state/elicitationState';
import { entryAt } from '../../src/shared/state/entryPages';
import type { BenchOptions, ConformanceBench } from './bench';
import { shown } from './shown';

/** A conversation with the situations that checks judge. */
export interface Scenario extends Pick<BenchOptions, 'env' | 'folders' | 'remote' | 'runInTerminal'> {
  readonly where?: 'host';
  play(bench: ConformanceBench): Promise<void>;
}

const json = (value: unknown): string => JSON.stringify(value);

const MODES = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'plan', name: 'Plan' },
  ],
};

const CONFIG_OPTIONS = [
  {
    id: 'mode',
    name: 'Mode',
    category: 'mode',
    type: 'select',
    currentValue: 'ask',
    options: [
      { value: 'plan', name: 'Plan' },
      { value: 'ask', name: 'Ask' },
    ],
  },
  { id: 'temperature', name: 'Temperature', type: 'slider', currentValue: 3 },
  {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: 'm1',
    options: [
      { group: 'new', name: 'New', options: [{ value: 'm2', name: 'Two' }] },
      { group: 'old', name: 'Old', options: [{ value: 'm1', name: 'One' }] },
    ],
  },
  { id: 'auto', name: 'Auto-approve', type: 'boolean', currentValue: false },
  {
    id: 'effort',
    name: 'Effort',
    category: 'thought_level',
    type: 'select',
    currentValue: 'low',
    options: [{ value: 'low', name: 'Low' }],
  },
];

const AUTH_METHODS = [
  { type: 'terminal', id: 'tui', name: 'Terminal', args: ['--login'], env: { FROM_METHOD: 'yes' } },
  { type: 'env_var', id: 'key', name: 'API key' },
  { id: 'browser', name: 'Browser' },
];

const SESSION_CAPABILITIES = ['list', 'resume', 'close', 'delete', 'fork', 'archive', 'title', 'status'];
const ALL_SESSIONS = {
  loadSession: true,
  sessionCapabilities: Object.fromEntries([...SESSION_CAPABILITIES, 'additionalDirectories'].map((name) => [name, {}])),
};

const twoFolders = (root: string): string[] => [join(root, 'workspace'), join(root, 'second')];

/** Not a realistic prompt, but contains all UTF-8 lengths. */
const WORDS = 'Příliš žluťoučký kůň 🎉 "quoted" \\ back';

const PICTURE: Block = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const SOURCE: Block = { type: 'resource', uri: 'file:///project/a.ts', text: 'export {};', mimeType: 'text/plain' };

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  talk: {
    async play(bench) {
      await bench.send(WORDS);
      const turn = bench.send('text Begun', 'until-cancel');
      await bench.until((state) => shown(state).includes('Begun'));
      await bench.session.send('text Too early');
      bench.session.turn.stop();
      await turn;
      await bench.send('text Once more');
    },
  },
  version: {
    env: () => ({ FAKE_PROTOCOL: '2' }),
    play: (bench) => bench.send('text hello'),
  },
  bare: {
    env: () => ({ FAKE_BARE: '1' }),
    play: (bench) => bench.send('text hello'),
  },
  blocks: {
    async play(bench) {
      await bench.session.send('text Taken', [PICTURE, SOURCE]);
    },
  },
  blocksRefused: {
    env: () => ({ FAKE_CAPABILITIES: json({ promptCapabilities: {} }) }),
    async play(bench) {
      // The agent's capabilities are known from its start on.
      await bench.send('text hello');
      await bench.session.send('text As a link', [SOURCE]);
      await bench.session.send('text Never sent', [PICTURE]);
      bench.fact('refused', shown(bench.session.state));
    },
  },
  cancel: {
    async play(bench) {
      const script = [
        'burst',
        'tool a execute First',
        'tool b execute Second',
        'permission a allow_once:Yes reject_once:No',
      ];
      const turn = bench.send(...script, 'permission b allow_once:Yes', 'end', 'text never said');
      await bench.until((state) => state.waiting.length === 2);
      bench.session.turn.stop();
      bench.fact('stopped', shown(bench.session.state));
      await turn;
      await bench.send('text after it');
    },
  },
  cancelLate: {
    async play(bench) {
      const turn = bench.send('ignore-cancel', 'text Begun', 'until-cancel', 'text Late words', 'error -32800 gone');
      await bench.until((state) => shown(state).includes('Begun'));
      bench.session.turn.stop();
      await turn;
    },
  },
  cancelRequest: {
    async play(bench) {
      await bench.send(
        `request-cancel session/request_permission ${json(permission('p', [['y', 'Yes', 'allow_once']]))}`,
        `request-cancel elicitation/create ${json({ sessionId: '$SESSION', message: 'Name?', mode: 'form', requestedSchema: FORM })}`,
      );
    },
  },
  permission: {
    async play(bench) {
      const turn = bench.send(
        'tool a edit Change',
        'permission a all=allow_always:Always_this once=allow_once:Just_now never=reject_once:No',
        `request session/request_permission ${json(permission('unheard', TWO_OF_A_KIND, 'An unheard-of call'))}`,
        'permission a go=allow_once:Go odd=on_sundays:Odd',
      );
      for (const name of ['Just now', 'Second', 'Odd']) await choose(bench, name);
      await turn;
    },
  },
  stringIds: {
    env: () => ({ FAKE_STRING_IDS: '1' }),
    async play(bench) {
      const turn = bench.send('permission a go=allow_once:Go');
      await choose(bench, 'Go');
      await turn;
    },
  },
  duplicateId: {
    async play(bench) {
      const asks = (name: string): string => {
        const params = permission(name, [[name, name, 'allow_once']], `Call ${name}`);
        return `raw ${json({ jsonrpc: '2.0', id: 'same', method: 'session/request_permission', params })}`;
      };
      const turn = bench.send(asks('First'), asks('Second'), 'tool a edit Change', 'permission a go=allow_once:Go');
      // Both arrive before the first is answered.
      await bench.until(({ waiting }) => waiting.length > 1);
      for (const name of ['First', 'Go']) await choose(bench, name);
      await turn;
    },
  },
  requests: {
    async play(bench) {
      await bench.send(
        ...['_vendor/thing', 'craft/drainMidTurnQueue', 'session/unheard', 'nes/start'].map(
          (name) => `request ${name} {}`,
        ),
        'notify _vendor/note {"a":1}',
        'notify qwen/notify/thing {}',
        'notify $/cancel_request {"requestId":"nobody"}',
        'raw {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"garbage"}}',
        'raw {"jsonrpc":"2.0","error":{"code":-32600,"message":"no id"}}',
        // Only a pipe has lines that are not messages.
        ...(bench.isRemote ? [] : ['noise not a message']),
        'session-update {"sessionUpdate":"unheard_of","x":1}',
        'text Still here',
      );
    },
  },
  tools: {
    async play(bench) {
      await bench.send(
        'tool t read Look',
        'update t in_progress First text',
        'update t in_progress Second text',
        'fields t {"title":"Look closer"}',
        'fields t {"_meta":{"x":1}}',
        'fields t {"status":"completed"}',
        'plan A | B@in_progress',
        'plan C',
        update({ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'old', description: 'd' }] }),
        update({
          sessionUpdate: 'available_commands_update',
          availableCommands: [{ name: 'review', description: 'd' }],
        }),
        update({ sessionUpdate: 'session_info_update', title: 'Told title' }),
        update({ sessionUpdate: 'session_info_update', updatedAt: '2026-01-01T00:00:00Z' }),
      );
      await bench.send('/review the code');
    },
  },
  markers: {
    env: () => ({
      FAKE_AUTH_METHODS: json(AUTH_METHODS),
      FAKE_NEW_RESULT: json({ configOptions: CONFIG_OPTIONS }),
    }),
    runInTerminal,
    async play(bench) {
      await bench.send(...markerUpdates());
      await bench.send(
        ...requestMarkers().map(
          ([method, params]) => `request-cancel ${method} ${json({ sessionId: '$SESSION', ...params })}`,
        ),
      );
      const { plans, terminals } = bench.session.state;
      bench.fact('state', { plans, terminals });
      await bench.session.configOptions.choose('auto', true);
      await bench.session.auth.signIn('tui');
    },
  },
  sessions: {
    env: (root) => ({
      FAKE_STORE: join(root, 'store'),
      FAKE_PAGE: '1',
      FAKE_CAPABILITIES: json(ALL_SESSIONS),
    }),
    folders: twoFolders,
    play: playSessions,
  },
  unadvertised: {
    env: (root) => ({ FAKE_STORE: join(root, 'store') }),
    folders: twoFolders,
    async play(bench) {
      await bench.send('text First answer');
      const { id } = bench.session;
      await bench.catalog.refresh();
      await bench.catalog.rename(id, 'Another name');
      await bench.catalog.statusAtAgent(id);
      await bench.catalog.fork(id).catch(() => undefined);
      await bench.session.auth.signOut();
      await bench.catalog.setArchived(id, true);
      await bench.closeWindow();
      await bench.openWindow();
      await bench.send('text Second answer');
      await bench.catalog.remove(bench.session.id);
      await bench.send('text Third answer');
    },
  },
  config: {
    env: () => ({ FAKE_NEW_RESULT: json({ configOptions: CONFIG_OPTIONS, modes: MODES }) }),
    async play(bench) {
      await bench.session.chooseAgent('fake');
      bench.fact('selectors', bench.session.state.selectors);
      await bench.session.configOptions.choose('mode', 'plan');
      await bench.session.configOptions.choose('auto', true);
      await bench.session.configOptions.choose('model', 'm2');
      bench.fact('selectors after', bench.session.state.selectors);
    },
  },
  modes: {
    env: () => ({ FAKE_NEW_RESULT: json({ modes: MODES }) }),
    async play(bench) {
      await bench.session.chooseAgent('fake');
      await bench.session.configOptions.choose('mode', 'plan');
      bench.fact('selectors after', bench.session.state.selectors);
    },
  },
  auth: {
    env: (root) => ({
      FAKE_AUTH_REQUIRED: 'session/new session/prompt',
      FAKE_AUTH_METHODS: json(AUTH_METHODS),
      FAKE_AUTH_FILE: join(root, 'signed-in'),
      FAKE_CAPABILITIES: json({ auth: { logout: {} } }),
    }),
    runInTerminal,
    async play(bench) {
      await bench.send('text Hello');
      bench.fact('connection', bench.session.state.connection);
      await signIn(bench, 'key');
      await signIn(bench, 'browser');
      await bench.session.auth.signOut();
      bench.fact('connection', bench.session.state.connection);
      await signIn(bench, 'tui');
      await bench.send('text Signed in again');
    },
  },
  elicitation: {
    async play(bench) {
      const ask = (params: object): string =>
        `request elicitation/create ${json({ sessionId: '$SESSION', message: 'Who?', ...params })}`;
      const url = { mode: 'url', elicitationId: 'e1', url: 'https://example.test/sign-in?x=1' };
      const turn = bench.send(
        ask({ mode: 'form', requestedSchema: FORM }),
        ask(url),
        'notify elicitation/complete {"elicitationId":"unheard"}',
        'notify elicitation/complete {"elicitationId":"e1"}',
        ask({ mode: 'hologram' }),
        `request elicitation/create {"requestId":$PROMPT,"message":"Outside","mode":"form","requestedSchema":${json(FORM)}}`,
      );
      await elicit(bench, { action: 'accept', content: { name: 'A' } }, { action: 'accept', content: { name: 'Ada' } });
      await elicit(bench, { action: 'decline' });
      await elicit(bench, { action: 'cancel' });
      await turn;
    },
  },
};

const FORM = {
  type: 'object',
  properties: { name: { type: 'string', title: 'Name', minLength: 2, default: 'Bob' } },
  required: ['name'],
};

const TWO_OF_A_KIND = [
  ['one', 'First', 'allow_once'],
  ['two', 'Second', 'allow_once'],
] as const;

function permission(
  toolCallId: string,
  options: readonly (readonly [string, string, string])[],
  title = 'A call',
): object {
  return {
    sessionId: '$SESSION',
    toolCall: { toolCallId, title },
    options: options.map(([optionId, name, kind]) => ({ optionId, name, kind })),
  };
}

function update(fields: object): string {
  return `session-update ${json(fields)}`;
}

/** Updates that agents send only to clients that advertise a capability for them. */
function markerUpdates(): string[] {
  const content = [{ type: 'terminal', terminalId: 'foreign' }];
  return [
    update({ sessionUpdate: 'notice', severity: 'info', title: 'Marker notice' }),
    update({ sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' }),
    update({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries: [entry('Marker plan')] } }),
    update({ sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Marker subagent' }),
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 'x',
      title: 'Run',
      content,
      _meta: { terminal_info: { terminal_id: 'foreign' } },
    }),
    update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'x',
      _meta: { terminal_output: { terminal_id: 'foreign', data: 'Marker output' } },
    }),
  ];
}

function entry(content: string): object {
  return { content, priority: 'medium', status: 'pending' };
}

/** Methods behind capabilities; requested and canceled at once, so that none waits for a user. */
export function requestMarkers(): readonly (readonly [method: string, params: object])[] {
  return [
    ['elicitation/create', { message: 'Name?', mode: 'form', requestedSchema: FORM }],
    ['elicitation/create', { message: 'Open?', mode: 'url', elicitationId: 'm', url: 'https://example.test/' }],
    ['fs/read_text_file', { path: '/nowhere/at/all' }],
    ['fs/write_text_file', { path: '/nowhere/at/all', content: '' }],
    ['terminal/create', { command: 'true' }],
    ...['output', 'wait_for_exit', 'kill', 'release'].map(
      (name) => [`terminal/${name}`, { terminalId: 'none' }] as const,
    ),
  ];
}

async function playSessions(bench: ConformanceBench): Promise<void> {
  await bench.send('text First answer');
  bench.sessions.newChat();
  await bench.send('text Other answer');
  await bench.closeWindow();
  await bench.openWindow();
  await bench.send('text Second answer');
  await bench.catalog.refresh();
  const { id } = bench.session;
  await bench.catalog.rename(id, 'Another name');
  await bench.catalog.statusAtAgent(id);
  await bench.catalog.fork(id);
  await bench.catalog.setArchived(id, true);
  await bench.catalog.remove(id);
  await bench.closeWindow();
  // A window without transcripts: only the agent's list exists.
  await bench.openWindow(true);
  await bench.session.chooseAgent('fake');
  await bench.catalog.refresh();
  const old = bench.catalog.items().find(({ isOurs }) => !isOurs);
  if (!old) throw new Error('The agent listed no session.');
  await bench.catalog.open(old.id);
  bench.fact('loaded', shown(bench.session.state));
}

/** Answers the next permission request with the option of that name. */
export async function choose(bench: ConformanceBench, name: string): Promise<void> {
  await bench.until((state) => state.waiting.length > 0);
  const { entries, waiting } = bench.session.state;
  const asked = entryAt(entries, waiting[0] ?? -1);
  if (asked?.kind !== 'permission') throw new Error('No question waits.');
  bench.fact('question', { title: asked.title, options: asked.options });
  const option = asked.options.find((one) => one.name === name);
  bench.session.userRequests.answer(asked.permissionId, option?.optionId ?? '');
}

/** Answers a form or a URL request; invalid values must not be sent. */
async function elicit(bench: ConformanceBench, ...answers: readonly ElicitationAnswer[]): Promise<void> {
  await bench.until((state) => state.waiting.length > 0);
  const { entries, waiting } = bench.session.state;
  const asked = entryAt(entries, waiting[0] ?? -1);
  if (asked?.kind !== 'elicitation') throw new Error('No form waits.');
  bench.fact('form', { question: asked.question, agent: asked.agent });
  for (const answer of answers) await bench.session.userRequests.elicitations.answer(asked.elicitationId, answer);
}

async function signIn(bench: ConformanceBench, methodId: string): Promise<void> {
  bench.fact('chose', methodId);
  await bench.session.auth.signIn(methodId);
}

/** A real process with pipes instead of the terminal. */
async function runInTerminal(launch: TerminalLaunch, signal: AbortSignal): Promise<number | undefined> {
  const evidence = { CONFORMANCE_EVIDENCE: '/dev/null', CONFORMANCE_MUTATION: '' };
  const child = spawn(launch.command, launch.args, { env: { ...launch.env, ...evidence }, stdio: 'pipe' });
  signal.addEventListener('abort', () => child.kill());
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? undefined;
}
