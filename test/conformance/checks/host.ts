import { basename } from 'node:path';
import { asArray, asString } from '../../../src/base/json';
import type { JsonObject } from '../../../src/base/json';
import type { Check } from '../check';
import { whole } from '../check';
import type { Evidence } from '../wire';
import { dig, errorCode, paramsOf, resultOf } from '../wire';

const FILES = { where: 'host', page: 'file-system', level: 'MUST', scenarios: ['files'] } as const;
const TERMINALS = { where: 'host', page: 'terminals', level: 'MUST', scenarios: ['terminals'] } as const;

export const hostChecks: readonly Check[] = [
  whole(
    { ...FILES, id: 'files.unsaved', sentence: 'A file is read as shown in the editor, including unsaved changes.' },
    (found, evidence) => {
      const { content } = resultOf(read(evidence, 'open.txt'));
      found.expect(content === 'not saved yet\n', `read ${JSON.stringify(content)}`);
    },
  ),
  whole(
    {
      ...FILES,
      id: 'files.lines',
      sentence: '`line` counts from 1, and `limit` is the number of lines; a `line` of 0 counts as 1.',
    },
    (found, evidence) => {
      const [all, part, zero] = reads(evidence, 'lines.txt').map((answer) => resultOf(answer)['content']);
      found.expect(all === 'one\ntwo\nthree\nfour\n', `the whole file is ${JSON.stringify(all)}`);
      found.expect(
        part === 'two\nthree\n' || part === 'two\nthree',
        `two lines from the second are ${JSON.stringify(part)}`,
      );
      found.expect(zero === 'one\n' || zero === 'one', `one line from line 0 is ${JSON.stringify(zero)}`);
    },
  ),
  whole(
    { ...FILES, id: 'files.missing', sentence: 'A file that does not exist returns -32002, not empty text.' },
    (found, evidence) => {
      const answer = read(evidence, 'missing.txt');
      found.expect(errorCode(answer) === -32002, JSON.stringify(answer));
    },
  ),
  whole(
    { ...FILES, id: 'files.created', sentence: 'Writing creates the file, and its folders.' },
    (found, evidence) => {
      const [request] = evidence.heard('fs/write_text_file');
      const answer = request && evidence.answersTo(request)[0];
      found.expect(answer !== undefined && 'result' in answer, JSON.stringify(answer));
      found.expect(
        evidence.facts('made')[0] === 'made\n',
        `in the file is ${JSON.stringify(evidence.facts('made')[0])}`,
      );
    },
  ),
  whole(
    {
      ...TERMINALS,
      id: 'terminals.create',
      sentence: '`terminal/create` answers immediately, while the command runs.',
    },
    (found, evidence) => {
      const first = outputs(evidence)[0];
      found.expect(
        asString(resultOf(first)['output']) !== undefined,
        `output of a running command: ${JSON.stringify(first)}`,
      );
    },
  ),
  whole(
    {
      ...TERMINALS,
      id: 'terminals.exitStatus',
      sentence: 'The exit status is set only after the exit, without a code if a signal ended the process.',
    },
    (found, evidence) => {
      const [running, killed] = outputs(evidence).map(resultOf);
      found.expect((running?.['exitStatus'] ?? undefined) === undefined, `while it runs: ${JSON.stringify(running)}`);
      found.expect(
        (dig(killed, 'exitStatus', 'exitCode') ?? null) === null &&
          asString(dig(killed, 'exitStatus', 'signal')) !== undefined,
        `killed: ${JSON.stringify(killed)}`,
      );
    },
  ),
  whole(
    {
      ...TERMINALS,
      id: 'terminals.kill',
      sentence: 'After `terminal/kill`, output and exit status are still available.',
    },
    (found, evidence) => {
      const kills = answersOf(evidence, 'terminal/kill');
      const waits = answersOf(evidence, 'terminal/wait_for_exit');
      found.expect(kills[0] !== undefined && 'result' in kills[0], JSON.stringify(kills[0]));
      found.expect(waits[0] !== undefined && 'result' in waits[0], JSON.stringify(waits[0]));
      found.expect('result' in (outputs(evidence)[1] ?? {}), JSON.stringify(outputs(evidence)[1]));
    },
  ),
  whole(
    { ...TERMINALS, id: 'terminals.release', sentence: 'After `terminal/release` the id is invalid.' },
    (found, evidence) => {
      const released = [
        outputs(evidence)[2],
        answersOf(evidence, 'terminal/wait_for_exit')[1],
        answersOf(evidence, 'terminal/kill')[1],
      ];
      for (const answer of released)
        found.expect(errorCode(answer) !== undefined, `still valid: ${JSON.stringify(answer)}`);
    },
  ),
  whole(
    {
      ...TERMINALS,
      id: 'terminals.limit',
      sentence:
        '`outputByteLimit` counts bytes: the beginning is dropped at a character boundary, and `truncated` is set.',
    },
    (found, evidence) => {
      const { output, truncated } = resultOf(outputs(evidence).at(-1));
      found.expect(output === '€€€' && truncated === true, JSON.stringify({ output, truncated }));
    },
  ),
  whole(
    {
      ...TERMINALS,
      level: 'SHOULD',
      id: 'terminals.shown',
      sentence: 'A terminal in a tool call keeps showing its output after its release.',
    },
    (found, evidence) => {
      const shown = asArray(evidence.facts('terminals')[0]).at(-1);
      found.expect(
        String(dig(shown, 'output')).endsWith('€€€') && dig(shown, 'exit', 'code') === 3,
        JSON.stringify(shown).slice(0, 300),
      );
      found.expect(evidence.shown.includes('<terminal>'), evidence.shown);
    },
  ),
];

function reads(evidence: Evidence, name: string): JsonObject[] {
  const requests = evidence
    .heard('fs/read_text_file')
    .filter((msg) => basename(String(paramsOf(msg)['path'])) === name);
  return requests.flatMap((request) => evidence.answersTo(request).slice(0, 1));
}

function read(evidence: Evidence, name: string): JsonObject | undefined {
  return reads(evidence, name)[0];
}

function answersOf(evidence: Evidence, method: string): JsonObject[] {
  return evidence.heard(method).flatMap((request) => evidence.answersTo(request).slice(0, 1));
}

function outputs(evidence: Evidence): JsonObject[] {
  return answersOf(evidence, 'terminal/output');
}
