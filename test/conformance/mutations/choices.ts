import { asArray, asObject } from '../../../src/base/json';
import type { JsonObject } from '../../../src/base/json';
import type { Mutation } from '../mutation';
import { dig, paramsOf } from '../wire';
import { after, answered, answers, params, request, without } from './tools';

const SET_OPTION = 'session/set_config_option';
const IN_CONFIG = { scenario: 'config' };
const IN_AUTH = { scenario: 'auth' };
const IN_ELICITATION = { scenario: 'elicitation' };

/** Changes the options in the answer to `session/new`. */
function hearsOptions(change: (options: JsonObject[]) => readonly JsonObject[]): Pick<Mutation, 'sends' | 'hears'> {
  return answered('session/new', (result) => ({
    ...result,
    configOptions: change(asArray(result['configOptions']).map((option) => asObject(option) ?? {})),
  }));
}

export const choiceMutations: readonly Mutation[] = [
  {
    ...IN_CONFIG,
    check: 'config.exclusive',
    does: 'sets the mode although there are options',
    sends: (msg) => {
      const { sessionId, configId, value } = paramsOf(msg);
      const isMode = msg['method'] === SET_OPTION && configId === 'mode';
      return [isMode ? { ...msg, method: 'session/set_mode', params: { sessionId, modeId: value } } : msg];
    },
  },
  {
    ...IN_CONFIG,
    check: 'config.values',
    does: 'sends a boolean without its type',
    sends: params(SET_OPTION, (fields) => without(fields, 'type')),
  },
  {
    ...IN_CONFIG,
    check: 'config.values',
    does: 'sends the name in place of the value',
    sends: params(SET_OPTION, (fields) => (fields['value'] === 'plan' ? { ...fields, value: 'Plan' } : fields)),
  },
  {
    ...IN_CONFIG,
    check: 'config.order',
    does: 'sorts the options',
    ...hearsOptions((options) => options.toReversed()),
  },
  {
    ...IN_CONFIG,
    check: 'config.unknownType',
    does: 'shows everything as a list',
    ...hearsOptions((options) =>
      options.map((option) => ({ ...option, type: option['type'] === 'slider' ? 'select' : option['type'] })),
    ),
  },
  {
    ...IN_CONFIG,
    check: 'config.replaced',
    does: 'does not look at the list in the answer',
    ...answered(SET_OPTION, () => ({})),
  },
  {
    check: 'modes.set',
    scenario: 'modes',
    does: 'sends the name of the mode',
    sends: params('session/set_mode', (fields) => ({ ...fields, modeId: 'Plan' })),
  },
  {
    ...IN_AUTH,
    check: 'auth.offered',
    does: 'does not look at the methods',
    ...answered('initialize', (result) => ({ ...result, authMethods: [] })),
  },
  {
    ...IN_AUTH,
    check: 'auth.offered',
    does: 'lists only the methods that it knows',
    ...answered('initialize', (result) => ({
      ...result,
      authMethods: asArray(result['authMethods']).filter((method) => dig(method, 'type') !== 'env_var'),
    })),
  },
  {
    ...IN_AUTH,
    check: 'auth.chosen',
    does: 'signs in without asking',
    hears: (msg, pipe) => {
      if (dig(msg, 'error', 'code') === -32000) pipe.toAgent(request('authenticate', { methodId: 'browser' }));
      return [msg];
    },
  },
  {
    ...IN_AUTH,
    check: 'auth.types',
    does: 'authenticates by the first method',
    sends: params('authenticate', () => ({ methodId: 'tui' })),
  },
  {
    ...IN_AUTH,
    check: 'auth.terminal',
    does: 'runs the command without the arguments of the method',
    shows: (name, value) =>
      name === 'launch' ? { ...asObject(value), args: dig(value, 'configured', 'args') } : value,
  },
  {
    ...IN_AUTH,
    check: 'auth.terminal',
    does: 'puts the configured variables over those of the method',
    shows: (name, value) => (name === 'launch' ? { ...asObject(value), env: dig(value, 'configured', 'env') } : value),
  },
  {
    ...IN_AUTH,
    check: 'auth.reconnect',
    does: 'initializes twice after the terminal',
    sends: after('initialize', (msg) => ({ ...msg, id: 'again' })),
  },
  {
    ...IN_AUTH,
    check: 'logout.then',
    does: 'goes on after a logout as if nothing were',
    shows: (name, value) => (name === 'connection' ? { status: 'ready' } : value),
  },
  {
    ...IN_ELICITATION,
    check: 'elicitation.form',
    does: 'sends what is not valid',
    ...answers('elicitation/create', (answer) => [
      dig(answer, 'result', 'content') ? { ...answer, result: { action: 'accept', content: { name: 'A' } } } : answer,
    ]),
  },
  {
    ...IN_ELICITATION,
    check: 'elicitation.form',
    does: 'does not fill in defaults',
    hears: (msg) => [JSON.parse(JSON.stringify(msg).replaceAll(',"default":"Bob"', '')) as JsonObject],
  },
  {
    ...IN_ELICITATION,
    check: 'elicitation.url',
    does: 'accepts addresses by itself',
    ...answers('elicitation/create', (answer, asked) => [
      paramsOf(asked)['mode'] === 'url' ? { ...answer, result: { action: 'accept' } } : answer,
    ]),
  },
  {
    ...IN_ELICITATION,
    check: 'elicitation.modes',
    does: 'cancels modes that it does not know',
    ...answers('elicitation/create', (answer, asked) => [
      paramsOf(asked)['mode'] === 'hologram' ? { ...without(answer, 'error'), result: { action: 'cancel' } } : answer,
    ]),
  },
];
