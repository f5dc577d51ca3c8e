import { TOLERATED_FORMS } from '../../src/agent/connection/toleratedForms';
import { AGENTS } from '../agents/catalog';
import { AGENT_SCENARIOS, EXAMPLE, INCOMPLETE } from './agentScenarios';
import type { RemoteWay } from './remoteScenarios';
import { REMOTE_SCENARIOS, REMOTE_WAYS } from './remoteScenarios';
import { CHECKS } from './run';
import type { CheckResult } from './suite';
import { TOLERANCE } from './tolerance';

/** Results of the suites in `out/conformance`. */
export interface Results {
  readonly node: unknown;
  readonly host: unknown;
  readonly remote: unknown;
  readonly agents: unknown;
}

/** Text for a check that was not judged. */
export const NOT_JUDGED = 'not judged';

/** The document, without anything that differs between runs. */
export function conformanceDocument(results: Results): string {
  const found = [...(results.node as CheckResult[]), ...(results.host as CheckResult[])];
  const agents = results.agents as Readonly<Record<string, Readonly<Record<string, string>>>>;
  return [
    '# Conformance',
    '',
    'Written by `npm run docs:conformance` from the results of `npm run test:conformance`, `npm test integration` and',
    '`npm run test:agents`. Changes by hand are lost.',
    '',
    '## The client, checked on the wire',
    '',
    'A checker between Parley and its agent records every line of both sides and checks it against the JSON schema and the',
    'specification. “Broken” counts the deliberately faulty clients that fail this check.',
    '',
    ...table(['check', 'page', 'level', 'rule', 'where', 'result', 'broken'], checkRows(found)),
    '',
    '## The same rules over a network',
    '',
    'The same checker runs with an agent that Parley reaches by its URL. It applies all rules above that concern these',
    'conversations.',
    '',
    ...table(['conversation', ...REMOTE_WAYS], remoteRows(results.remote)),
    '',
    '## What real agents do, and what a client must tolerate',
    '',
    ...table(
      ['', 'what agents do', 'proven by'],
      TOLERANCE.map(({ says, proofs }, index) => [
        String(index + 1),
        says,
        proofs.map(({ file, title }) => `${file}: ${title}`).join('<br>'),
      ]),
    ),
    '',
    ...formSection(),
    '## Real agents, driven through the extension',
    '',
    'The whole extension runs in VS Code’s extension host, and the agents talk to a scripted model on this machine. The checker sits',
    'between the two in every cell and applies the rules that concern every conversation.',
    '',
    ...table(
      ['agent', ...AGENT_SCENARIOS],
      AGENTS.map(({ name, quirks }) => [
        name,
        ...AGENT_SCENARIOS.map((one) => {
          const verdict = cell(agents[name]?.[one]);
          return one === 'tools' && quirks.ignoresServers && verdict === 'ok' ? 'no MCP servers' : verdict;
        }),
      ]),
    ),
    '',
    'Cursor’s adapter has no model here: it requires Cursor’s own program, which is not on npm, and a sign-in.',
    '',
    ...table(['agent', INCOMPLETE], [['cursor', cell(agents['cursor']?.[INCOMPLETE])]]),
    '',
    'The example agent of the ACP SDK has no model and does the same in every turn.',
    '',
    ...table(['agent', EXAMPLE], [['sdkexample', cell(agents['sdkexample']?.[EXAMPLE])]]),
    '',
  ].join('\n');
}

/** Deviations from ACP that Parley accepts. */
export function formSection(): string[] {
  return [
    '## Forms that are tolerated',
    '',
    'Some agents do not follow the protocol exactly. Parley accepts these forms from every agent and logs each form once per connection.',
    'What Parley sends always follows ACP. Proven by `test/unit/agent/connection/toleratedForms.test.ts`.',
    '',
    ...table(['an agent sends', 'Parley reads'], Object.values(TOLERATED_FORMS)),
    '',
  ];
}

/** Rows of the checks without results, to compare with the committed document. */
export function checkNames(): string[] {
  return CHECKS.map(({ id, page, level, sentence, where }) =>
    row([id, page, level, sentence, where]).replace(/ \|$/, ''),
  );
}

function checkRows(found: readonly CheckResult[]): string[][] {
  return CHECKS.map(({ id, page, level, sentence, where }) => {
    const result = found.find((one) => one.id === id);
    const verdict = result ? (result.passed ? 'passed' : 'FAILED') : NOT_JUDGED;
    return [id, page, level, sentence, where, verdict, String(result?.broken ?? 0)];
  });
}

function remoteRows(results: unknown): string[][] {
  const found = results as Readonly<Record<string, Readonly<Partial<Record<RemoteWay, boolean>>>>>;
  const verdict = (passed: boolean | undefined): string => (passed ? 'passed' : 'FAILED');
  return REMOTE_SCENARIOS.map((name) => [
    name,
    ...REMOTE_WAYS.map((way) => (found[name] ? verdict(found[name][way]) : NOT_JUDGED)),
  ]);
}

/** First line of a failure. */
function cell(result: string | undefined): string {
  if (result === undefined) return 'not run';
  return result === 'ok' || result === 'not installed' ? result : 'FAILED';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
}
