import { randomUUID } from 'node:crypto';
import { asArray } from '../../../src/base/json';
import type { Mutation } from '../mutation';
import { dig, paramsOf } from '../wire';
import { after, before, deafTo, params, request, updates, without } from './tools';

const IN_SESSIONS = { scenario: 'sessions' };
const OPENING_AGAIN = ['session/load', 'session/resume', 'session/fork'];

export const sessionMutations: readonly Mutation[] = [
  {
    check: 'sessions.advertised',
    scenario: 'unadvertised',
    does: 'lists sessions of an agent that cannot',
    sends: before('session/new', () => request('session/list', {})),
  },
  {
    check: 'sessions.advertised',
    scenario: 'bare',
    does: 'closes sessions of an agent that tells nothing',
    sends: after('session/prompt', (msg) => request('session/close', { sessionId: paramsOf(msg)['sessionId'] })),
  },
  {
    check: 'sessions.advertised',
    scenario: 'unadvertised',
    does: 'loads a session without capability',
    sends: after('session/new', () => request('session/load', { sessionId: 'x', cwd: '/', mcpServers: [] })),
  },
  {
    check: 'sessions.directories',
    scenario: 'unadvertised',
    does: 'names all folders to everybody',
    sends: params('session/new', (fields) => ({ ...fields, additionalDirectories: ['/second'] })),
  },
  {
    ...IN_SESSIONS,
    check: 'sessions.allDirectories',
    does: 'forgets the other folders when it comes back',
    sends: params(OPENING_AGAIN, (fields) => without(fields, 'additionalDirectories')),
  },
  {
    ...IN_SESSIONS,
    check: 'sessions.sameFolder',
    does: 'comes back in another folder',
    sends: params('session/resume', (fields) => ({ ...fields, cwd: '/' })),
  },
  {
    scenario: 'cancel',
    check: 'sessions.knownIds',
    does: 'makes up the id of a session',
    sends: params('session/cancel', () => ({ sessionId: 'made-up' })),
  },
  {
    ...IN_SESSIONS,
    check: 'sessions.replay',
    does: 'shows a replay twice',
    hears: updates('agent_message_chunk', (update) => [update, { ...update, messageId: randomUUID() }]),
  },
  {
    ...IN_SESSIONS,
    check: 'sessions.replay',
    does: 'does not show a replay',
    hears: deafTo((msg) => dig(msg, 'params', 'update', 'sessionUpdate') === 'agent_message_chunk'),
  },
  {
    ...IN_SESSIONS,
    check: 'sessions.cursors',
    does: 'changes cursors',
    sends: params('session/list', (fields) =>
      fields['cursor'] ? { ...fields, cursor: `${JSON.stringify(fields['cursor'])} ` } : fields,
    ),
  },
  {
    ...IN_SESSIONS,
    check: 'sessions.cursors',
    does: 'reads the first page only',
    hears: (msg) => {
      const result = msg['result'] as Record<string, unknown> | undefined;
      return [result?.['sessions'] ? { ...msg, result: { ...result, nextCursor: null } } : msg];
    },
  },
  {
    ...IN_SESSIONS,
    check: 'sessions.listed',
    does: 'loads in the folder at hand',
    sends: params('session/load', (fields) => ({ ...fields, cwd: '/' })),
  },
  {
    check: 'prompt.blocks',
    scenario: 'bare',
    does: 'sends pictures to everybody',
    sends: params('session/prompt', (fields) => ({
      ...fields,
      prompt: [...asArray(fields['prompt']), { type: 'image', data: '', mimeType: 'image/png' }],
    })),
  },
  {
    check: 'prompt.attached',
    scenario: 'blocks',
    does: 'leaves out what is attached',
    sends: params('session/prompt', (fields) => ({ ...fields, prompt: asArray(fields['prompt']).slice(0, 1) })),
  },
  {
    check: 'prompt.attached',
    scenario: 'blocksRefused',
    does: 'leaves out the link',
    sends: params('session/prompt', (fields) => ({ ...fields, prompt: asArray(fields['prompt']).slice(0, 1) })),
  },
  {
    check: 'prompt.oneTurn',
    scenario: 'talk',
    does: 'sends while a turn runs',
    sends: after('session/prompt', (msg) => ({ ...msg, id: `${String(msg['id'])} again` })),
  },
  {
    check: 'prompt.commands',
    scenario: 'tools',
    does: 'cuts the slash off',
    sends: (msg) => [msg['method'] === 'session/prompt' ? JSON.stringify(msg).replace('"/review', '"review') : msg],
  },
  {
    check: 'prompt.commands',
    scenario: 'tools',
    does: 'takes the first list of commands only',
    hears: deafTo((msg) => JSON.stringify(msg).includes('"name":"review"')),
  },
  {
    check: 'prompt.trace',
    scenario: 'talk',
    does: 'begins no trace',
    sends: params('session/prompt', (fields) => without(fields, '_meta')),
  },
  {
    check: 'prompt.trace',
    scenario: 'talk',
    does: 'uses one trace for ever',
    sends: params('session/prompt', (fields) => ({
      ...fields,
      _meta: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    })),
  },
];
