import type { Race, RaceAttempt } from '../../src/shared/protocol/racePageProtocol';

const attempt = (id: string, more: Partial<RaceAttempt>): RaceAttempt => ({
  id,
  agent: 'Claude',
  branch: `parley/retry-uploads-${id}`,
  status: 'done',
  ms: 0,
  files: 0,
  added: 0,
  removed: 0,
  ...more,
});

/** Attempts in each state, as the host sends them. */
export const races: readonly Race[] = [
  {
    id: 'race-2',
    title: 'Retry transient errors of uploads, keep the API, and add tests',
    attempts: [
      attempt('1', {
        status: 'running',
        since: Date.now() - 42_000,
        ms: 4000,
        activity: 'npm test -- upload',
        files: 2,
        added: 41,
        removed: 6,
        cost: '$0.21',
      }),
      attempt('2', {
        agent: 'Codex',
        status: 'waiting',
        ms: 61_000,
        request: {
          permissionId: 'p2',
          lines: ['Edit src/upload.ts', '− send(file);', '+ await retry(() => send(file));'],
          options: [
            { optionId: 'yes', name: 'Allow' },
            { optionId: 'no', name: 'Reject' },
          ],
        },
        files: 1,
        added: 12,
        removed: 1,
      }),
      attempt('3', {
        agent: 'Gemini',
        ms: 95_000,
        activity: 'All tests pass.',
        files: 4,
        taken: 4,
        problems: 2,
        added: 120,
        removed: 48,
        cost: '$0.04',
      }),
      attempt('4', {
        agent: 'Claude (2)',
        status: 'stopped',
        outcome: 'Interrupted',
        ms: 2000,
        filesFailure: 'fatal: not a git repository: /storage/1/.git',
      }),
    ],
  },
  {
    title: 'Other Worktrees',
    attempts: [{ id: '5', agent: 'parley/old', branch: 'parley/old', status: 'none', ms: 0, added: 0, removed: 0 }],
  },
];
