import { asArray, asObject, asString } from '../../../src/base/json';
import type { Check } from '../check';
import { eachLife, whole } from '../check';
import { resultProblem } from '../schema';
import type { Evidence } from '../wire';
import { dig, errorCode, isRequest, paramsOf, resultOf } from '../wire';

const SET_OPTION = 'session/set_config_option';

export const choiceChecks: readonly Check[] = [
  whole(
    {
      id: 'config.exclusive',
      page: 'session-config-options',
      level: 'MUST',
      scenarios: ['config'],
      sentence: 'If there are config options, only they are used, and modes are ignored.',
    },
    (found, evidence) => {
      const modes = [...evidence.sent('session/set_mode'), ...evidence.sent('session/set_model')];
      found.expect(modes.length === 0 && evidence.sent(SET_OPTION).length > 0, `sent ${JSON.stringify(modes[0])}`);
    },
  ),
  whole(
    {
      id: 'config.values',
      page: 'session-config-options',
      level: 'MUST',
      scenarios: ['config'],
      sentence: 'Only values that the option offers are sent; a boolean is sent with `type: "boolean"`.',
    },
    (found, evidence) => {
      const options = asArray(firstResult(evidence)['configOptions']);
      for (const msg of evidence.sent(SET_OPTION)) {
        const { configId, value, type } = paramsOf(msg);
        const option = options.find((one) => dig(one, 'id') === configId);
        const isBoolean = dig(option, 'type') === 'boolean';
        const fits = isBoolean ? typeof value === 'boolean' && type === 'boolean' : valuesOf(option).includes(value);
        found.expect(fits, `${String(configId)} was set by ${JSON.stringify(paramsOf(msg))}`);
      }
    },
  ),
  whole(
    {
      id: 'config.order',
      page: 'session-config-options',
      level: 'MUST',
      scenarios: ['config'],
      sentence: 'The options keep the agent’s order, including those with an unknown category or none.',
    },
    (found, evidence) => {
      const told = asArray(firstResult(evidence)['configOptions']).filter((one) => dig(one, 'type') !== 'slider');
      found.expect(ids(evidence.facts('selectors')[0]) === ids(told), `shown ${ids(evidence.facts('selectors')[0])}`);
    },
  ),
  whole(
    {
      id: 'config.unknownType',
      page: 'session-config-options',
      level: 'SHOULD',
      scenarios: ['config'],
      sentence: 'An option of an unknown type is ignored.',
    },
    (found, evidence) =>
      found.expect(!ids(evidence.facts('selectors')[0]).includes('temperature'), 'the slider is shown'),
  ),
  whole(
    {
      id: 'config.replaced',
      page: 'session-config-options',
      level: 'MUST',
      scenarios: ['config'],
      sentence: 'The list in the answer replaces the previous list: options may appear and disappear.',
    },
    (found, evidence) => {
      const after = evidence.facts('selectors after')[0];
      found.expect(ids(after) === 'mode, model, auto', `shown ${ids(after)}`);
      const values = asArray(after).map((one) => dig(one, 'value'));
      found.expect(JSON.stringify(values) === '["plan","m2",true]', `with ${JSON.stringify(values)}`);
    },
  ),
  whole(
    {
      id: 'modes.set',
      page: 'session-modes',
      level: 'MUST',
      scenarios: ['modes'],
      sentence: 'Without config options, a mode is selected by `session/set_mode`, with an id that the agent offers.',
    },
    (found, evidence) => {
      const offered = asArray(dig(firstResult(evidence), 'modes', 'availableModes')).map((mode) => dig(mode, 'id'));
      const sent = evidence.sent('session/set_mode');
      found.expect(sent.length === 1, `session/set_mode was sent ${sent.length} times`);
      for (const msg of sent) found.expect(offered.includes(paramsOf(msg)['modeId']), JSON.stringify(paramsOf(msg)));
    },
  ),
  whole(
    {
      id: 'auth.offered',
      page: 'authentication',
      level: 'MUST',
      scenarios: ['auth'],
      sentence: 'After -32000, all methods of the agent are offered to the user, in the agent’s order.',
    },
    (found, evidence) => {
      const refused = evidence.heard().some((msg) => errorCode(msg) === -32000);
      const shown = evidence.facts('connection')[0];
      found.expect(refused && dig(shown, 'status') === 'signIn', `the connection is ${JSON.stringify(shown)}`);
      found.expect(ids(dig(shown, 'methods')) === 'tui, key, browser', `offered are ${ids(dig(shown, 'methods'))}`);
    },
  ),
  whole(
    {
      id: 'auth.chosen',
      page: 'authentication',
      level: 'MUST',
      scenarios: ['auth', 'talk', 'bare', 'markers'],
      sentence: '`authenticate` is sent only when the user has selected that method, never by the client alone.',
    },
    (found, evidence) => {
      let chosen: unknown;
      let sent = 0;
      for (const one of evidence.seen) {
        if (one.by === 'fact' && one.name === 'chose') chosen = one.value;
        if (one.by !== 'client' || one.msg?.['method'] !== 'authenticate') continue;
        sent++;
        found.expect(
          paramsOf(one.msg)['methodId'] === chosen,
          `authenticate ${JSON.stringify(one.msg)}, chosen ${String(chosen)}`,
        );
      }
      const shouldHave = evidence.facts('chose').includes('browser');
      found.expect(!shouldHave || sent > 0, 'the chosen method was not used');
    },
  ),
  whole(
    {
      id: 'auth.types',
      page: 'authentication',
      level: 'MUST',
      scenarios: ['auth'],
      sentence: '`authenticate` is never sent for terminal methods or methods of unknown types.',
    },
    (found, evidence) => {
      for (const msg of evidence.sent('authenticate')) {
        const { methodId } = paramsOf(msg);
        found.expect(methodId === 'browser', `authenticate was sent for ${String(methodId)}`);
      }
    },
  ),
  whole(
    {
      id: 'auth.terminal',
      page: 'authentication',
      level: 'MUST',
      scenarios: ['auth'],
      sentence:
        'A terminal method runs the agent’s own command, with the method’s arguments appended and its variables taking precedence.',
    },
    (found, evidence) => {
      for (const launch of evidence.facts('launch')) {
        const configured = dig(launch, 'configured');
        const args = [...asArray(dig(configured, 'args')), '--login'];
        const env = { ...asObject(dig(configured, 'env')), FROM_METHOD: 'yes' };
        found.expect(dig(launch, 'command') === dig(configured, 'command'), 'another command was run');
        found.expect(
          JSON.stringify(dig(launch, 'args')) === JSON.stringify(args),
          `with ${JSON.stringify(dig(launch, 'args'))}`,
        );
        found.expect(JSON.stringify(dig(launch, 'env')) === JSON.stringify(env), 'with other variables');
      }
    },
  ),
  whole(
    {
      id: 'auth.reconnect',
      page: 'authentication',
      level: 'MUST',
      scenarios: ['auth'],
      sentence: 'After a terminal method exits with 0, the client reconnects and initializes again.',
    },
    (found, evidence) => {
      const lives = evidence.lives();
      const [signedIn] = lives.slice(1);
      found.expect(lives.length === 2 && signedIn?.sent('initialize').length === 1, `${lives.length} connections`);
      found.expect(evidence.shown.includes('Signed in again'), 'the new connection was not used');
    },
  ),
  whole(
    {
      id: 'elicitation.form',
      page: 'elicitation',
      level: 'MUST',
      scenarios: ['elicitation'],
      sentence: 'A form is shown with the agent’s name and its defaults, and only valid content is sent.',
    },
    (found, evidence) => {
      const [request] = evidence.heard('elicitation/create');
      const shown = evidence.facts('form')[0];
      found.expect(
        dig(shown, 'agent') === 'Fake' && JSON.stringify(shown).includes('"initial":"Bob"'),
        JSON.stringify(shown),
      );
      const answer = resultOf(request && evidence.answersTo(request)[0]);
      found.expect(answer['action'] === 'accept' && dig(answer, 'content', 'name') === 'Ada', JSON.stringify(answer));
    },
  ),
  whole(
    {
      id: 'elicitation.url',
      page: 'elicitation',
      level: 'MUST',
      scenarios: ['elicitation'],
      sentence: 'A URL is shown in full with its host, and not opened without consent.',
    },
    (found, evidence) => {
      const shown = dig(evidence.facts('form')[1], 'question');
      found.expect(
        dig(shown, 'url') === 'https://example.test/sign-in?x=1' && dig(shown, 'host') === 'example.test',
        JSON.stringify(shown),
      );
      const request = evidence.heard('elicitation/create')[1];
      const answer = resultOf(request && evidence.answersTo(request)[0]);
      found.expect(answer['action'] === 'decline', JSON.stringify(answer));
    },
  ),
  whole(
    {
      id: 'elicitation.modes',
      page: 'elicitation',
      level: 'MUST',
      scenarios: ['elicitation'],
      sentence: 'A mode that was not advertised is rejected with -32602; a request outside any session is served.',
    },
    (found, evidence) => {
      for (const request of evidence.heard('elicitation/create').filter(isRequest)) {
        const { mode, requestId } = paramsOf(request);
        const answer = evidence.answersTo(request)[0];
        if (mode === 'hologram') found.expect(errorCode(answer) === -32602, JSON.stringify(answer));
        if (requestId === undefined) continue;
        const isValid = resultProblem('elicitation/create', answer?.['result']) === undefined;
        found.expect(isValid && asString(resultOf(answer)['action']) === 'cancel', JSON.stringify(answer));
      }
    },
  ),
  eachLife(
    {
      id: 'logout.then',
      page: 'authentication',
      level: 'SHOULD',
      scenarios: ['auth'],
      sentence: 'After `logout`, the client says that sign-in is required again.',
    },
    (found, life) => {
      if (life.sent('logout').length === 0) return;
      const shown = life.facts('connection').at(-1);
      found.expect(dig(shown, 'status') === 'signIn', `the connection is ${JSON.stringify(shown)}`);
    },
  ),
];

function firstResult(evidence: Evidence): Record<string, unknown> {
  const [opened] = evidence.sent('session/new');
  return resultOf(opened && evidence.answerOf(opened));
}

function ids(list: unknown): string {
  return asArray(list)
    .map((one) => String(dig(one, 'id')))
    .join(', ');
}

function valuesOf(option: unknown): unknown[] {
  return asArray(dig(option, 'options')).flatMap((one) => {
    const members = dig(one, 'options');
    return Array.isArray(members) ? members.map((member) => dig(member, 'value')) : [dig(one, 'value')];
  });
}
