import type { Zod } from '../../contract/toolServerTypes';
import { SEVERITIES } from './workspaceDiagnostics';

/** Milliseconds for diagnostics to settle. */
export const DIAGNOSTICS_SETTLE_MS = 10_000;
/** Default number of problems in a result. */
export const DEFAULT_PROBLEM_LIMIT = 100;

function problemSchema(z: Zod) {
  return z.object({
    path: z.string(),
    line: z.int(),
    column: z.int(),
    severity: z.enum(SEVERITIES),
    message: z.string(),
    source: z.string().optional(),
    code: z.string().optional(),
  });
}

export function listInput(z: Zod) {
  return z.object({
    paths: z.array(z.string()).max(50).optional().describe('Only these files; they are looked at anew'),
    glob: z.string().optional().describe('Only paths that match, such as src/**/*.ts'),
    min_severity: z.enum(SEVERITIES).optional().describe('This and worse; warning when absent'),
    source: z.string().optional().describe('Only of this source, such as ts or eslint'),
    limit: z.int().min(1).max(1_000).optional().describe(`At most so many; ${DEFAULT_PROBLEM_LIMIT} when absent`),
  });
}

export function listOutput(z: Zod) {
  return z.object({
    problems: z.array(problemSchema(z)),
    total: z.int(),
    truncated: z.boolean(),
    settled: z.boolean(),
    baseline: z.string(),
  });
}

export function sinceInput(z: Zod) {
  return z.object({
    baseline: z.string().optional().describe('"turn" (when absent), "session", or the baseline of an earlier answer'),
    paths: z.array(z.string()).max(50).optional().describe('Only these files; the ones you have edited'),
    wait_ms: z
      .int()
      .min(0)
      .max(DIAGNOSTICS_SETTLE_MS)
      .optional()
      .describe(`Wait so long at most; ${DIAGNOSTICS_SETTLE_MS} when absent`),
  });
}

export function sinceOutput(z: Zod) {
  return z.object({
    new: z.array(problemSchema(z)),
    fixed: z.array(problemSchema(z)),
    remaining: z.int(),
    settled: z.boolean(),
    truncated: z.boolean(),
    baseline: z.string(),
  });
}
