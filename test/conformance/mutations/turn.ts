import { asArray, asObject } from '../../../src/base/json';
import type { Mutation } from '../mutation';
import { dig, paramsOf } from '../wire';
import { answers, deafTo, updates, without } from './tools';

const PERMISSION = 'session/request_permission';
const IN_CANCEL = { scenario: 'cancel' };
const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow_once' } };

export const turnMutations: readonly Mutation[] = [
  {
    ...IN_CANCEL,
    check: 'cancel.sent',
    does: 'stops without telling the agent',
    sends: (msg) => (msg['method'] === 'session/cancel' ? [] : [msg]),
  },
  {
    ...IN_CANCEL,
    check: 'cancel.sent',
    does: 'cancels by a request',
    sends: (msg) => [msg['method'] === 'session/cancel' ? { ...msg, id: 'cancel' } : msg],
  },
  {
    ...IN_CANCEL,
    check: 'cancel.permissions',
    does: 'allows what is open when it stops',
    ...answers(PERMISSION, (answer) => [{ ...answer, result: ALLOW }]),
  },
  { ...IN_CANCEL, check: 'cancel.permissions', does: 'drops the cancelled answer', ...answers(PERMISSION, () => []) },
  {
    ...IN_CANCEL,
    check: 'requests.answeredOnce',
    does: 'leaves open permissions open',
    ...answers(PERMISSION, () => []),
  },
  {
    ...IN_CANCEL,
    check: 'cancel.tools',
    does: 'lets its calls run on',
    shows: (name, value) => (name === 'stopped' ? String(value).replaceAll('Canceled', 'Running') : value),
  },
  {
    check: 'cancel.lateUpdates',
    scenario: 'cancelLate',
    does: 'does not listen any more once it has stopped',
    sends: (msg, { memory }) => {
      if (msg['method'] === 'session/cancel') memory.set('deaf', true);
      return [msg];
    },
    hears: (msg, { memory }) => (memory.has('deaf') && msg['method'] === 'session/update' ? [] : [msg]),
  },
  {
    check: 'cancel.noError',
    scenario: 'cancelLate',
    does: 'shows the end of a stopped turn as an error',
    shows: (name, value) => (name === 'shown' ? `${String(value)}\n[error] gone` : value),
  },
  {
    check: 'cancelRequest.answered',
    scenario: 'cancelRequest',
    does: 'allows what was withdrawn',
    ...answers(PERMISSION, (answer) => [{ ...answer, result: { outcome: { outcome: 'selected', optionId: 'y' } } }]),
  },
  {
    check: 'cancelRequest.answered',
    scenario: 'cancelRequest',
    does: 'does not answer what was withdrawn',
    ...answers(PERMISSION, () => []),
  },
  {
    check: 'permission.offered',
    scenario: 'permission',
    does: 'answers with an option that nobody offered',
    ...answers(PERMISSION, (answer) => [{ ...answer, result: { outcome: { outcome: 'selected', optionId: 'yes' } } }]),
  },
  {
    check: 'permission.offered',
    scenario: 'permission',
    does: 'answers with the first option of the kind',
    ...answers(PERMISSION, (answer, asked) => {
      const options = asArray(paramsOf(asked)['options']).map((option) => asObject(option) ?? {});
      const chosen = options.find((option) => option['optionId'] === dig(answer, 'result', 'outcome', 'optionId'));
      const first = options.find((option) => option['kind'] === chosen?.['kind']);
      return [{ ...answer, result: { outcome: { outcome: 'selected', optionId: first?.['optionId'] } } }];
    }),
  },
  {
    check: 'permission.options',
    scenario: 'permission',
    does: 'sorts the options',
    hears: (msg) => [
      msg['method'] === PERMISSION
        ? { ...msg, params: { ...paramsOf(msg), options: asArray(paramsOf(msg)['options']).toReversed() } }
        : msg,
    ],
  },
  {
    check: 'permission.toolCall',
    scenario: 'permission',
    does: 'does not look at the tool call of a question',
    hears: (msg) => {
      if (msg['method'] !== PERMISSION) return [msg];
      const toolCall = without(asObject(paramsOf(msg)['toolCall']) ?? {}, 'title');
      return [{ ...msg, params: { ...paramsOf(msg), toolCall } }];
    },
  },
  {
    check: 'tools.patch',
    scenario: 'tools',
    does: 'appends content',
    hears: updates('tool_call_update', (update) => [
      JSON.stringify(update).includes('Second text')
        ? {
            ...update,
            content: [
              ...asArray(update['content']),
              { type: 'content', content: { type: 'text', text: 'First text' } },
            ],
          }
        : update,
    ]),
  },
  {
    check: 'tools.patch',
    scenario: 'tools',
    does: 'takes what is left out as empty',
    hears: updates('tool_call_update', (update) => [{ content: [], ...update }]),
  },
  {
    check: 'plan.replaced',
    scenario: 'tools',
    does: 'appends to the plan',
    hears: updates('plan', (update) => {
      const entry = { content: 'A', priority: 'medium', status: 'pending' };
      return [{ ...update, entries: [entry, ...asArray(update['entries'])] }];
    }),
  },
  {
    check: 'sessionInfo.patch',
    scenario: 'tools',
    does: 'takes what is left out as cleared',
    hears: updates('session_info_update', (update) => [{ title: null, ...update }]),
  },
  {
    check: 'updates.unknown',
    scenario: 'requests',
    does: 'drops what it does not know',
    hears: deafTo((msg) => dig(msg, 'params', 'update', 'sessionUpdate') === 'unheard_of'),
  },
];
