import { strict as assert } from 'node:assert';
import { lastEntry } from '../../src/shared/state/entryPages';
import type { Entry } from '../../src/shared/state/sessionState';
import type { MomentName } from './faults';
import type { FaultWindow } from './faultWindow';

/** Brings a window to a moment and triggers the fault. */
type Reach = (window: FaultWindow) => Promise<void>;

const schema = { type: 'object', properties: { name: { type: 'string' } } };
const form = JSON.stringify({ sessionId: '$SESSION', message: 'Who are you?', mode: 'form', requestedSchema: schema });

/** The user's first message; the transcript must contain it. */
export const FIRST = 'text first answer';
/** The end of each script that the fault interrupts. */
const END = 'text after the fault';

export const REACH: Record<MomentName, Reach> = {
  starting: async (window) => {
    window.arm();
    window.acts(window.session.send(FIRST));
    await window.struck();
  },
  signingIn: async (window) => {
    await window.session.send(FIRST);
    assert.equal(window.state.connection.status, 'signIn');
    window.arm();
    window.acts(window.session.auth.signIn('login'));
    await window.struck();
  },
  new: async (window) => {
    window.arm();
    window.acts(window.session.send(FIRST));
    await window.struck();
  },
  streaming: inTurn(['chunks 8 10', 'until-file done', 'chunks 10 10'], (window) => window.bench.text.includes('7 x')),
  toolCall: inTurn(['tool t1 read Read', 'until-file done', 'update t1 completed'], hasLast('tool')),
  permission: inTurn(['permission p1 allow_once:Yes reject_once:No'], hasRequest),
  form: inTurn([`request elicitation/create ${form}`], hasRequest),
  terminal: inTurn(['tool t1 execute Command', 'show-terminal t1 node command.cjs'], ({ state }) =>
    Object.values(state.terminals).some(({ output }) => output.includes('ready')),
  ),
  mcpCall: async (window) => {
    let isCalled = false;
    window.tools.sample.begun.event(() => (isCalled = true));
    await inTurn(['call-tool sample step'], () => isCalled)(window);
  },
  cancel: async (window) => {
    await window.session.send(FIRST);
    window.acts(window.session.send(['ignore-cancel', 'text busy', 'until-file done'].join('\n')));
    await window.waitFor('the turn runs', () => hasLast('agent')(window));
    window.session.turn.stop();
    await window.strike();
  },
  load: async (window) => {
    await window.session.send(FIRST);
    const { id } = window.session;
    await window.close();
    await window.open();
    window.arm();
    window.acts(window.show(id));
    await window.struck();
  },
  warmStart: async (window) => {
    window.session.setAgent('fake');
    window.arm();
    window.acts(window.session.warmStart.start());
    await window.struck();
  },
  idle: async (window) => {
    await window.session.send(FIRST);
    await window.strike();
  },
};

function inTurn(script: readonly string[], isReached: (window: FaultWindow) => boolean): Reach {
  return async (window) => {
    await window.session.send(FIRST);
    window.acts(window.session.send([...script, END].join('\n')));
    await window.waitFor('the moment is reached', () => isReached(window));
    await window.strike();
  };
}

function hasLast(kind: Entry['kind']): (window: FaultWindow) => boolean {
  return ({ state }) => lastEntry(state.entries)?.kind === kind;
}

function hasRequest({ state }: FaultWindow): boolean {
  return state.waiting.length > 0;
}
