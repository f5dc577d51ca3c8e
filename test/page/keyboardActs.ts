import type { HostMessage } from '../../src/shared/protocol/chatPageProtocol';
import type { Action } from '../../src/shared/state/sessionActions';
import { asked, fields } from './elicitationSample';
import { asking } from './permissionStates';
import { NOON, changedFiles, commands, diff, options, selectors } from './sample';

/** What a user without a mouse can do. */
export interface Hands {
  press(...keys: readonly string[]): Promise<void>;
  type(text: string): Promise<void>;
  /** Presses a key (default: Tab) until the control of this name has the focus. */
  reach(name: string, key?: string): Promise<void>;
  /** The agent continues. */
  agent(...actions: readonly Action[]): Promise<void>;
  host(message: HostMessage): Promise<void>;
  /** Waits until the buttons of a new request are enabled. */
  ready(): Promise<void>;
}

export interface Act {
  readonly act: string;
  readonly keys: (hands: Hands) => Promise<void>;
  /** Expected focus afterwards. */
  readonly at: string;
}

const at = NOON;
const agentText = (role: 'agent' | 'thought', text: string): Action => ({ type: 'textAppended', role, text, at });
const ended: Action = { type: 'turnEnded', stopReason: 'end_turn', at };
const prompt = (text: string): Action => ({ type: 'promptSent', text, blocks: [], at });
const CODE = 'Here:\n\n```ts\nexport const attempts = 4;\n```\n';
const TABLE = `| ${'a long head of a column | '.repeat(8)}\n|${'---|'.repeat(8)}\n| ${'what stands in it | '.repeat(8)}\n`;

const CREATED = {
  path: '/work/src/a.ts',
  label: 'src/a.ts',
  status: 'created',
  added: 1,
  removed: 0,
  binary: false,
} as const;

/** Three turns before the first action, with everything that can be opened. */
export const before: readonly Action[] = [
  { type: 'connectionChanged', connection: { status: 'ready' } },
  prompt('Make uploads retry.'),
  agentText('thought', 'Only network errors should be.'),
  {
    type: 'toolStarted',
    toolCallId: 'search',
    patch: { title: 'Find uses of send', tool: 'search', status: 'done', rawInput: { query: 'send' }, rawOutput: '7' },
    at,
  },
  {
    type: 'toolStarted',
    toolCallId: 'edit',
    patch: { title: 'Edit upload.ts', tool: 'edit', status: 'done', content: [diff] },
    at,
  },
  { type: 'terminalCreated', terminalId: 'term', command: 'npm test', cwd: '/work', at },
  { type: 'terminalOutput', terminalId: 'term', data: 'ok\r\n'.repeat(40) },
  {
    type: 'toolStarted',
    toolCallId: 'run',
    patch: {
      title: 'Run the tests',
      tool: 'execute',
      status: 'running',
      content: [{ type: 'terminal', terminalId: 'term' }],
    },
    at,
  },
  agentText('agent', `${CODE}\n${TABLE}`),
  ended,
  prompt('Now with a circuit breaker.'),
  agentText('agent', 'Three failures open it for a minute.\n\n'.repeat(20)),
  ended,
  prompt('Describe it.'),
  agentText('agent', 'It is described.\n\n'.repeat(20)),
  ended,
  { type: 'checkpointsChanged', checkpoints: [{ entry: 6, checkpointId: 'c', at, coverage: 'workspace', skipped: 0 }] },
  { type: 'selectorsChanged', selectors },
  { type: 'commandsChanged', commands },
  { type: 'usageChanged', usage: { used: 74_000, size: 200_000 } },
  { type: 'changesChanged', changed: [...changedFiles, CREATED], removed: [] },
  {
    type: 'planChanged',
    items: [
      { content: 'Wrap the request', priority: 'high', status: 'in_progress' },
      { content: 'Run all tests', priority: 'low', status: 'pending' },
    ],
  },
];

/** A tool call and its permission request; `index` of the tool call. */
const question = (id: string, title: string, command: string, index: number): readonly Action[] =>
  asking(title, { tool: 'execute', rawInput: { command } })
    .slice(1)
    .map((action) => {
      if (action.type === 'toolStarted') return { ...action, toolCallId: id };
      return action.type === 'permissionAsked' ? { ...action, permissionId: id, tool: index, options } : action;
    });

const SCRIPT = Array.from({ length: 30 }, (_, line) => `echo step-${line}`).join('\n');

/** Actions with keys only, in sequence. */
export const acts: readonly Act[] = [
  { act: 'open the chat', keys: (to) => to.host({ type: 'focusComposer' }), at: 'Message' },
  {
    act: 'complete a command',
    keys: async (to) => {
      await to.type('/rev');
      await to.press('Enter');
    },
    at: 'Message',
  },
  { act: 'take it away again', keys: (to) => to.press('Control+A', 'Delete'), at: 'Message' },
  {
    act: 'mention a file',
    keys: async (to) => {
      await to.type('Look at @ses');
      await to.press('ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
    },
    at: 'Message',
  },
  {
    act: 'remove its chip',
    keys: async (to) => {
      await to.reach('Remove src/session/sessions.ts', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'attach a file',
    keys: async (to) => {
      await to.reach('Attach files', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'leave the open file out',
    keys: async (to) => {
      await to.reach('Send src/app.ts', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Send src/app.ts',
  },
  { act: 'pin the open file', keys: (to) => to.press('Tab', 'Enter'), at: 'Pin src/app.ts' },
  {
    act: 'break a line',
    keys: async (to) => {
      await to.reach('Message');
      await to.press('Shift+Enter');
      await to.type('and say why');
    },
    at: 'Message',
  },
  { act: 'send', keys: (to) => to.press('Enter'), at: 'Message' },
  {
    act: 'go to the question',
    keys: async (to) => {
      await to.agent(...question('p1', 'Install a package', 'npm install nock', 11));
      await to.ready();
      await to.press('Alt+ArrowUp');
    },
    at: 'Permission: Install a package',
  },
  { act: 'answer by a digit', keys: (to) => to.press('1'), at: 'Message' },
  {
    act: 'show all of a command',
    keys: async (to) => {
      await to.agent(...question('p2', 'Run a script', SCRIPT, 13));
      await to.ready();
      await to.press('Alt+ArrowUp');
      await to.reach('Show all');
      await to.press('Enter');
    },
    at: 'Permission: Run a script',
  },
  {
    act: 'reject by Tab and Enter',
    keys: async (to) => {
      await to.reach('Reject3');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'allow always',
    keys: async (to) => {
      await to.agent(...question('p3', 'npm test', 'npm test', 15));
      await to.ready();
      await to.press('Alt+ArrowUp');
      await to.reach('Always allow…2');
      await to.press('Space');
      await to.agent({
        type: 'permissionRemembered',
        entry: 16,
        remembered: { scope: 'session', rules: ['npm test'] },
      });
    },
    at: 'Message',
  },
  {
    act: 'open the scopes of the answer',
    keys: (to) => to.press('Alt+ArrowUp', 'Tab', 'Enter'),
    at: 'SessionIn this session, until the window is closed',
  },
  {
    act: 'remember it for the workspace',
    keys: (to) => to.press('ArrowDown', 'Enter'),
    at: 'Remembered for: Workspace',
  },
  {
    act: 'submit a form that is not complete',
    keys: async (to) => {
      await to.agent(asked({ mode: 'form', title: 'About you', fields }));
      await to.ready();
      await to.press('Alt+ArrowDown', 'Tab');
      await to.type('nobody');
      await to.press('Enter');
    },
    at: 'Mail',
  },
  {
    act: 'fill in the form',
    keys: async (to) => {
      await to.type('@example.test');
      await to.reach('Two');
      await to.press('Space');
    },
    at: 'Two',
  },
  { act: 'submit the form', keys: (to) => to.press('Enter'), at: 'Form: Who are you?' },
  {
    act: 'decline a form',
    keys: async (to) => {
      await to.agent(asked({ mode: 'form', fields }, 'e2'));
      await to.ready();
      await to.reach('Decline');
      await to.press('Enter');
    },
    at: 'Form: Who are you?',
  },
  { act: 'go to the message before', keys: (to) => to.press('Shift+Alt+ArrowUp', 'Shift+Alt+ArrowUp'), at: 'You' },
  {
    act: 'go to the first message',
    keys: (to) => to.press('Shift+Alt+ArrowUp', 'Shift+Alt+ArrowUp'),
    at: 'You',
  },
  {
    act: 'open a thought',
    keys: async (to) => {
      await to.reach('Thought for 1 s');
      await to.press('Enter');
    },
    at: 'Thought for 1 s',
  },
  {
    act: 'open a tool call',
    keys: async (to) => {
      await to.press('Alt+ArrowDown');
      await to.press('ArrowRight');
    },
    at: 'Tool: Find uses of send',
  },
  { act: 'close the tool call', keys: (to) => to.press('ArrowLeft'), at: 'Tool: Find uses of send' },
  {
    act: 'open a diff',
    keys: async (to) => {
      await to.reach('Open Diff');
      await to.press('Enter');
    },
    at: 'Open Diff',
  },
  {
    act: 'keep a diff',
    keys: async (to) => {
      await to.reach('Keep');
      await to.press('Enter');
    },
    at: 'Open Diff',
  },
  {
    act: 'stop a command',
    keys: async (to) => {
      await to.reach('Stop command');
      await to.press('Enter');
    },
    at: 'Show in Terminal',
  },
  {
    act: 'show all output',
    keys: async (to) => {
      await to.reach('Show all');
      await to.press('Enter');
    },
    at: 'Show less',
  },
  {
    act: 'copy code',
    keys: async (to) => {
      await to.reach('Copy');
      await to.press('Enter');
    },
    at: 'Copy',
  },
  { act: 'go to another button of the code', keys: (to) => to.press('End'), at: 'Wrap Lines' },
  {
    act: 'scroll a table',
    keys: async (to) => {
      await to.reach('Table');
      await to.press('ArrowRight');
    },
    at: 'Table',
  },
  {
    act: 'open the menu of an answer',
    keys: async (to) => {
      await to.reach('Actions for this answer');
      await to.press('Enter');
    },
    at: 'Fork from here',
  },
  { act: 'copy the answer', keys: (to) => to.press('ArrowDown', 'Enter'), at: 'Actions for this answer' },
  {
    act: 'restore a checkpoint',
    keys: async (to) => {
      await to.reach('Restore Checkpoint');
      await to.press('Enter');
    },
    at: 'Restore Checkpoint',
  },
  {
    act: 'undo the restore',
    keys: async (to) => {
      await to.reach('Undo Restore', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'You',
  },
  { act: 'edit the message', keys: (to) => to.press('F2'), at: 'Edit message' },
  { act: 'leave it as it was', keys: (to) => to.press('Escape'), at: 'Message' },
  {
    act: 'scroll up and jump to the latest',
    keys: async (to) => {
      await to.press('PageUp', 'PageUp');
      await to.reach('Jump to latest', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Jump to latest',
  },
  {
    act: 'unfold the plan',
    keys: async (to) => {
      await to.reach('Wrap the request1 of 2');
      await to.press('Enter');
    },
    at: 'Wrap the request1 of 2',
  },
  {
    act: 'unfold the changes',
    keys: async (to) => {
      await to.reach('6 files changed+49 −34');
      await to.press('Enter');
    },
    at: '6 files changed+49 −34',
  },
  {
    act: 'keep a file',
    keys: async (to) => {
      await to.reach('Keep README.md');
      await to.press('Enter');
    },
    at: 'media/logo.png',
  },
  { act: 'open the changes of a file', keys: (to) => to.press('Enter'), at: 'media/logo.png' },
  { act: 'undo a file', keys: (to) => to.press('Tab', 'Tab', 'Enter'), at: 'src/a.ts' },
  {
    act: 'redo from the notice',
    keys: async (to) => {
      await to.reach('Redo');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'undo all',
    keys: async (to) => {
      await to.reach('Undo All', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'redo all',
    keys: async (to) => {
      await to.reach('Redo', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'keep all',
    keys: async (to) => {
      await to.reach('Keep All', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'queue three messages',
    keys: async (to) => {
      for (const text of ['one', 'two', 'three']) {
        await to.type(text);
        await to.press('Enter');
      }
    },
    at: 'Message',
  },
  {
    act: 'edit a queued message',
    keys: async (to) => {
      await to.reach('Edit', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Edit queued message',
  },
  {
    act: 'save it',
    keys: async (to) => {
      await to.type(' more');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'move a queued message up',
    keys: async (to) => {
      await to.reach('Edit', 'Shift+Tab');
      await to.press('Alt+ArrowUp');
    },
    at: 'Edit',
  },
  {
    act: 'remove a queued message',
    keys: async (to) => {
      await to.reach('Remove');
      await to.press('Enter');
    },
    at: 'Move up',
  },
  {
    act: 'send a queued message now',
    keys: async (to) => {
      await to.reach('Send now');
      await to.press('Enter');
    },
    at: 'Edit',
  },
  { act: 'stop the turn', keys: (to) => to.press('Control+Escape'), at: 'Edit' },
  {
    act: 'resume the queue',
    keys: async (to) => {
      await to.agent({ type: 'queuePaused', pause: { why: 'turn', stopReason: 'cancelled' } });
      await to.reach('Resume', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'send the last queued message',
    keys: async (to) => {
      await to.reach('Send now', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Message',
  },
  { act: 'bring an earlier prompt back', keys: (to) => to.press('ArrowUp', 'ArrowUp'), at: 'Message' },
  {
    act: 'choose a mode',
    keys: (to) => to.press('Control+A', 'Delete', 'Control+.', 'ArrowDown', 'Enter'),
    at: 'Message',
  },
  { act: 'close the models again', keys: (to) => to.press('Control+Alt+.', 'ArrowDown', 'Escape'), at: 'Message' },
  {
    act: 'open the details of the context',
    keys: async (to) => {
      await to.reach('Context details');
      await to.press('Enter');
    },
    at: 'Context used',
  },
  { act: 'close the details', keys: (to) => to.press('Escape'), at: 'Context details' },
  {
    act: 'stop by the button',
    keys: async (to) => {
      await to.reach('Stop');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'refuse an unknown command, and send it as text',
    keys: async (to) => {
      await to.type('/nothing');
      await to.press('Escape', 'Enter');
      await to.reach('Send as text', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'dismiss why a file was refused',
    keys: async (to) => {
      await to.host({ type: 'attach', attachments: [], remarks: ['movie.mp4: the file is 80.2 MB'] });
      await to.reach('Dismiss', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'retry after an error',
    keys: async (to) => {
      await to.agent(
        { type: 'errorShown', message: 'It broke', remedies: ['retry', 'showLog'], at },
        { type: 'turnEnded', stopReason: 'error', at },
      );
      await to.reach('Retry', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Error',
  },
  {
    act: 'restart an agent that has exited',
    keys: async (to) => {
      await to.agent({ type: 'connectionChanged', connection: { status: 'exited', code: 1 } });
      await to.reach('Restart Agent');
      await to.press('Enter');
    },
    at: 'Message',
  },
  {
    act: 'open the tools',
    keys: async (to) => {
      await to.reach('Tools', 'Shift+Tab');
      await to.press('Enter');
    },
    at: 'Tools',
  },
  {
    act: 'look for a tool',
    keys: async (to) => {
      await to.reach('Filter tools');
      await to.type('list');
    },
    at: 'Filter tools',
  },
  {
    act: 'switch a tool off',
    keys: async (to) => {
      await to.reach('problems__list');
      await to.press('Space');
    },
    at: 'problems__list',
  },
  { act: 'close the tools', keys: (to) => to.press('Escape'), at: 'Tools' },
  {
    act: 'stop following',
    keys: async (to) => {
      await to.reach('Follow');
      await to.press('Enter');
    },
    at: 'Follow',
  },
];

/** Actions that need the width of a wide page. */
export const wideActs: readonly Act[] = [
  {
    act: 'go to a mark of the timeline',
    keys: async (to) => {
      await to.press('Tab', 'Tab', 'ArrowUp');
    },
    at: 'Turn 2',
  },
  { act: 'go to its message', keys: (to) => to.press('Enter'), at: 'You' },
  { act: 'come back to the message box', keys: (to) => to.press('Escape'), at: 'Message' },
];
