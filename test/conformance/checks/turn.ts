import { asArray, asString } from '../../../src/base/json';
import type { JsonObject } from '../../../src/base/json';
import type { Check } from '../check';
import { eachLife, whole } from '../check';
import { resultProblem } from '../schema';
import { dig, errorCode, isRequest, paramsOf, resultOf } from '../wire';

const PERMISSION = 'session/request_permission';

export const turnChecks: readonly Check[] = [
  whole(
    {
      id: 'cancel.sent',
      page: 'prompt-turn#cancellation',
      level: 'MUST',
      scenarios: ['talk', 'cancel', 'cancelLate'],
      sentence: '*Stop* sends `session/cancel` once, as a notification, for the session of the running turn.',
    },
    (found, evidence) => {
      const [first] = evidence.sent('session/prompt');
      const cancels = evidence.sent('session/cancel');
      found.expect(cancels.length === 1, `session/cancel was sent ${cancels.length} times`);
      for (const cancel of cancels) {
        found.expect(
          !('id' in cancel) && first !== undefined && paramsOf(cancel)['sessionId'] === paramsOf(first)['sessionId'],
          JSON.stringify(cancel),
        );
      }
    },
  ),
  whole(
    {
      id: 'cancel.permissions',
      page: 'prompt-turn#cancellation',
      level: 'MUST',
      scenarios: ['cancel'],
      sentence: '*Stop* answers every pending permission request with `cancelled`.',
    },
    (found, evidence) => {
      for (const request of evidence.heard(PERMISSION)) {
        const outcomes = evidence.answersTo(request).map(outcomeOf);
        found.expect(
          outcomes.length > 0 && outcomes.every((outcome) => outcome === 'cancelled'),
          `answered ${JSON.stringify(outcomes)}`,
        );
      }
    },
  ),
  whole(
    {
      id: 'cancel.tools',
      page: 'prompt-turn#cancellation',
      level: 'SHOULD',
      scenarios: ['cancel'],
      sentence: '*Stop* immediately marks the unfinished tool calls of the turn as canceled.',
    },
    (found, evidence) => {
      const stopped = String(evidence.facts('stopped')[0]);
      const tools = stopped.split('\n').filter((line) => line.startsWith('[tool'));
      found.expect(tools.length === 2, `shown: ${stopped}`);
      for (const tool of tools) found.expect(tool.endsWith(': Canceled'), tool);
    },
  ),
  whole(
    {
      id: 'cancel.lateUpdates',
      page: 'prompt-turn#cancellation',
      level: 'SHOULD',
      scenarios: ['cancelLate'],
      sentence: 'Updates after `session/cancel` are still accepted.',
    },
    (found, evidence) => found.expect(evidence.shown.includes('Late words'), `shown: ${evidence.shown}`),
  ),
  whole(
    {
      id: 'cancel.noError',
      page: 'prompt-turn#cancellation',
      level: 'SHOULD',
      scenarios: ['cancelLate'],
      sentence: 'A stopped turn that the agent ends with an error is shown as canceled, not as an error.',
    },
    (found, evidence) => {
      found.expect(
        !evidence.shown.includes('[error]') && evidence.shown.includes('turn: idle cancelled'),
        evidence.shown,
      );
    },
  ),
  eachLife(
    {
      id: 'cancelRequest.answered',
      page: 'cancellation',
      level: 'MUST',
      scenarios: ['cancelRequest'],
      sentence:
        'A request that the agent withdraws by `$/cancel_request` is still answered: with a valid result or -32800; a permission with `cancelled`.',
    },
    (found, life) => {
      for (const request of life.heard().filter(isRequest)) {
        const answer = life.answersTo(request)[0];
        const method = String(request['method']);
        const isValid = answer && 'result' in answer && resultProblem(method, answer['result']) === undefined;
        const fits =
          method === PERMISSION
            ? outcomeOf(answer) === 'cancelled'
            : isValid === true && resultOf(answer)['action'] === 'cancel';
        found.expect(fits || errorCode(answer) === -32800, `${method} was answered ${JSON.stringify(answer)}`);
      }
    },
  ),
  eachLife(
    {
      id: 'permission.offered',
      page: 'tool-calls',
      level: 'MUST',
      scenarios: ['permission', 'stringIds'],
      sentence: 'The answer to a permission request is the option that the user selected, and one of those offered.',
    },
    (found, life) => {
      for (const [request, wanted] of zip(life.heard(PERMISSION), ['once', 'two', 'odd'])) {
        const offered = asArray(paramsOf(request)['options']).map((option) => dig(option, 'optionId'));
        const chosen = dig(resultOf(life.answersTo(request)[0]), 'outcome', 'optionId');
        const known = offered.length === 1 ? offered[0] : wanted;
        found.expect(
          offered.includes(chosen) && chosen === known,
          `chosen ${JSON.stringify(chosen)} of ${JSON.stringify(offered)}`,
        );
      }
    },
  ),
  whole(
    {
      id: 'permission.options',
      page: 'tool-calls',
      level: 'MUST',
      scenarios: ['permission'],
      sentence:
        'The options are shown with the agent’s names in the agent’s order, including several of one kind and unknown kinds.',
    },
    (found, evidence) => {
      for (const [request, shown] of zip(evidence.heard(PERMISSION), evidence.facts('question'))) {
        const names = (options: unknown): string =>
          asArray(options)
            .map((option) => String(dig(option, 'name')))
            .join(', ');
        const wanted = names(paramsOf(request)['options']);
        found.expect(names(dig(shown, 'options')) === wanted, `shown ${names(dig(shown, 'options'))}, not ${wanted}`);
      }
    },
  ),
  whole(
    {
      id: 'permission.toolCall',
      page: 'tool-calls',
      level: 'MUST',
      scenarios: ['permission'],
      sentence:
        'The tool call in a permission request counts as an update: a call that was never announced is shown with its title.',
    },
    (found, evidence) => {
      found.expect(evidence.shown.includes('] An unheard-of call:'), `shown: ${evidence.shown}`);
      found.expect(evidence.shown.split('] Change:').length === 2, 'the announced call is not shown exactly once');
    },
  ),
  whole(
    {
      id: 'tools.patch',
      page: 'tool-calls',
      level: 'MUST',
      scenarios: ['tools'],
      sentence: 'An update changes only the fields that it contains; content is replaced.',
    },
    (found, evidence) => {
      const { shown } = evidence;
      found.expect(
        /\[tool read\] Look closer: Done\n {2}Second text\n/.test(shown) && !shown.includes('First text'),
        `shown: ${shown}`,
      );
    },
  ),
  whole(
    {
      id: 'plan.replaced',
      page: 'agent-plan',
      level: 'MUST',
      scenarios: ['tools'],
      sentence: 'Every update of the plan replaces it completely.',
    },
    (found, evidence) =>
      found.expect(/plan:\n {2}pending: C\n(?! {2})/.test(evidence.shown), `shown: ${evidence.shown}`),
  ),
  whole(
    {
      id: 'sessionInfo.patch',
      page: 'session-list',
      level: 'MUST',
      scenarios: ['tools'],
      sentence: 'Fields that a `session_info_update` omits stay unchanged.',
    },
    (found, evidence) => found.expect(evidence.shown.includes('title: Told title\n'), `shown: ${evidence.shown}`),
  ),
  whole(
    {
      id: 'updates.unknown',
      page: 'extensibility',
      level: 'Parley',
      scenarios: ['requests'],
      sentence: 'An update of an unknown kind is kept and causes no error.',
    },
    (found, evidence) => found.expect(/\[raw\].*unheard_of/.test(evidence.shown), `shown: ${evidence.shown}`),
  ),
];

function outcomeOf(answer: JsonObject | undefined): string | undefined {
  return asString(dig(resultOf(answer), 'outcome', 'outcome'));
}

function zip<A, B>(first: readonly A[], second: readonly B[]): (readonly [A, B | undefined])[] {
  return first.map((one, index) => [one, second[index]] as const);
}
