import fc from 'fast-check';

/** Scripts of one turn. `%` is replaced by a number that is unique per turn. */
export const SCRIPTS = {
  talk: ['text .t%a.', 'thought hm', 'text .t%b.'],
  write: ['text .t%a.', 'write FILE v%\\n', 'text .t%b.'],
  writeTwice: ['write FILE v%\\n', 'text .t%a.', 'write FILE w%\\n', 'text .t%b.'],
  disk: ['text .t%a.', 'disk FILE v%\\n', 'text .t%b.'],
  ask: ['tool c execute Deploy', 'permission c allow_once reject_once', 'text .t%a.', 'update c completed'],
  terminal: ['terminal node -e "console.log(1)"', 'text .t%a.'],
  noise: ['noise {"not":"json-rpc"', 'text .t%a.', 'stderr grumble', 'raw []', 'text .t%b.'],
  flood: ['chunks 400 40', 'text .t%a.'],
  late: ['text .t%a.', 'late l%.'],
  wait: ['text .t%a.', 'until-cancel', 'text .t%b.'],
  fail: ['text .t%a.', 'error -32603 no model'],
  /** Scripts that end while nothing runs. */
  dieLater: ['text .t%a.', 'stop end_turn', 'kill'],
  die: ['text .t%a.', 'kill'],
  leave: ['text .t%a.', 'exit 0'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type ScriptName = keyof typeof SCRIPTS;

export const PEOPLE = 3;

const ENDINGS = [
  'keep',
  'undo',
  'undoAndRedo',
  'restore',
  'resend',
  'fork',
  'reopen',
  'newChat',
  'nothing',
  'nothing',
] as const;
/** These change all files of the workspace. */
const WHOLE: ReadonlySet<string> = new Set(['restore', 'resend']);

/** Actions of one user in a round; the actions of all users run in parallel. */
export interface UserActs {
  /** Sent at once; all but the first wait in the queue. */
  readonly sends: readonly ScriptName[];
  readonly stops: boolean;
  readonly shows: boolean;
  /** What follows the turns. */
  readonly ending: (typeof ENDINGS)[number];
}

/** The rounds of a seed: the same for the same seed. */
export function* roundsOf(seed: number): Generator<readonly UserActs[]> {
  const names = Object.keys(SCRIPTS) as ScriptName[];
  // Turns that end well are more frequent, so that there is something to keep, to undo and to reopen.
  const script = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<ScriptName>('talk', 'write', 'writeTwice', 'disk') },
    { weight: 1, arbitrary: fc.constantFrom(...names) },
  );
  const acts: fc.Arbitrary<UserActs> = fc.record({
    sends: fc.array(script, { maxLength: 3, size: 'max' }),
    stops: fc.boolean(),
    shows: fc.boolean(),
    ending: fc.constantFrom(...ENDINGS),
  });
  const round = fc.array(acts, { minLength: PEOPLE, maxLength: PEOPLE });
  for (let batch = 0; ; batch++)
    yield* fc
      .sample(round, { seed: seed + batch, numRuns: 50 })
      .map(alone)
      .map(attributable);
}

/** While one user restores all files, the others do nothing. */
function alone(round: readonly UserActs[]): readonly UserActs[] {
  const one = round.find(({ sends, ending }) => WHOLE.has(ending) && sends.length > 0);
  if (!one) return round.map((acts) => (WHOLE.has(acts.ending) ? { ...acts, ending: 'nothing' } : acts));
  return round.map((acts) => (acts === one ? acts : { ...acts, sends: [], stops: false, ending: 'nothing' }));
}

/** Files that an agent writes directly belong to all sessions with running turns: only a single active user has such scripts. */
function attributable(round: readonly UserActs[]): readonly UserActs[] {
  if (round.filter(({ sends }) => sends.length > 0).length <= 1) return round;
  const byClient = (name: ScriptName): ScriptName => (name === 'disk' ? 'write' : name);
  return round.map((acts) => ({ ...acts, sends: acts.sends.map(byClient) }));
}
