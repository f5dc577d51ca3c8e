/** Faults of the agent: the values of `FAKE_FAULT`, with the labels of the table. */
export const FAULTS = {
  killed: 'killed',
  hangs: 'hangs',
  exits: 'exits with 0',
  closesStdout: 'closes stdout',
  floods: 'floods (50 MB)',
  garbage: 'sends garbage',
  answersTwice: 'answers twice',
  wrongId: 'wrong id',
  duplicateId: 'duplicate id',
  wrongVersion: 'wrong version',
  halfLine: 'half a line',
  neverReads: 'never reads stdin',
} as const;

export type FaultName = keyof typeof FAULTS;

export const MOMENTS = {
  starting: 'starting',
  signingIn: 'signing in',
  new: 'session/new',
  streaming: 'streaming',
  toolCall: 'tool call',
  permission: 'permission pending',
  form: 'form pending',
  terminal: 'terminal running',
  mcpCall: 'MCP call running',
  cancel: 'cancel pending',
  load: 'load replay',
  warmStart: 'warm start',
  idle: 'idle',
} as const;

export type MomentName = keyof typeof MOMENTS;

export interface Cell {
  readonly fault: FaultName;
  readonly moment: MomentName;
}

export function allCells(): Cell[] {
  const moments = Object.keys(MOMENTS) as MomentName[];
  const faults = Object.keys(FAULTS) as FaultName[];
  return moments.flatMap((moment) => faults.map((fault) => ({ fault, moment })));
}

/** A subset with every fault and every moment several times: a diagonal of the table. */
export function someCells(): Cell[] {
  const faults = Object.keys(FAULTS);
  const moments = Object.keys(MOMENTS);
  return allCells().filter(({ fault, moment }) => (faults.indexOf(fault) + moments.indexOf(moment)) % 4 === 0);
}

/** How the user continues, see {@link OUTCOMES}. */
export type Outcome = 'goesOn' | 'error' | 'stop' | 'forceStop' | 'restart';

export const OUTCOMES: Readonly<Record<Outcome, readonly [label: string, meaning: string]>> = {
  goesOn: ['continues', 'the turn ends normally; the user does nothing'],
  error: ['error', 'an error with *Restart Agent*'],
  stop: ['Stop', '*Stop* ends the turn, and an error offers *Restart Agent*'],
  forceStop: ['Force Stop', '*Stop*, then *Force Stop*; the next message starts the agent again'],
  restart: ['sign-in card', '*Cancel* in the sign-in card, then its *Restart Agent*'],
};

const ENDS: ReadonlySet<FaultName> = new Set(['killed', 'exits', 'closesStdout']);
const SILENT: ReadonlySet<FaultName> = new Set(['hangs', 'wrongId', 'neverReads']);

/** Whether the agent stops responding, so that the user has to act. */
export function isSilent({ fault, moment }: Cell): boolean {
  // A wrong id matters only where a response is due.
  return SILENT.has(fault) && !(fault === 'wrongId' && moment === 'idle');
}

export function expectedOutcome(cell: Cell): Outcome {
  const { fault, moment } = cell;
  if (ENDS.has(fault) || (fault === 'wrongVersion' && moment === 'starting')) return 'error';
  if (!isSilent(cell)) return 'goesOn';
  if (moment === 'starting') return 'error';
  if (moment === 'signingIn') return 'restart';
  return moment === 'new' || moment === 'load' || moment === 'warmStart' ? 'stop' : 'forceStop';
}

/** What `test/unit/damagedFiles.test.ts` adds to docs/faults.md. */
export const DAMAGED_FILES = '\n## Damaged files';

/** docs/faults.md up to the part about kills. */
export function faultPage(outcomeOf: (cell: Cell) => Outcome): string {
  const faults = Object.keys(FAULTS) as FaultName[];
  const moments = Object.keys(MOMENTS) as MomentName[];
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = moments.map((moment) =>
    row([MOMENTS[moment], ...faults.map((fault) => OUTCOMES[outcomeOf({ fault, moment })][0])]),
  );
  return [
    '# Faults of agents',
    '',
    'What a user sees and does when an agent fails. `npm run faults` plays all cells with real processes and writes this page;',
    '`npm test faults` plays a part of them.',
    '',
    row(['moment', ...faults.map((fault) => FAULTS[fault])]),
    `|${' --- |'.repeat(faults.length + 1)}`,
    ...rows,
    '',
    ...Object.values(OUTCOMES).map(([label, meaning]) => `- *${label}*: ${meaning}.`),
    '',
    'In each cell, the agent then answers the next message, the transcript opens again in the next window as it was, and nothing is left: no',
    'process, socket, listener, temporary file or unhandled rejection, and the heap is as before.',
    '',
    'A wrong version is a version of ACP while starting, and one of JSON-RPC at the other moments. A wrong id while the agent is idle has no effect. Other',
    'faults mean the same at all moments.',
    '',
  ].join('\n');
}
