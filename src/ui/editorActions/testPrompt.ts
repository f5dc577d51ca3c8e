import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { escapeInvisible, escapeInvisibleInline } from '../../base/untrustedText';
import type { ProblemRequest } from './problemPrompt';

/** The messages about a failing test. Pure. */

export interface TestFailure {
  /** The test as the Test Explorer names it, its suites first. */
  readonly name: string;
  readonly message?: string;
  readonly expected?: string;
  readonly actual?: string;
  /** Where it failed, as `src/a.test.ts:4`. */
  readonly place?: string;
  /** Innermost first, each as `name (src/a.test.ts:4)`. */
  readonly stack: readonly string[];
}

/** UTF-16 units of what a test wrote: a comparison of two pages is not read by anybody. */
const LONGEST = 20_000;

/** What is asked about it. */
export function testPrompt(wish: ProblemRequest, { name, message }: TestFailure): string {
  const test = escapeInvisibleInline(name);
  if (wish === 'explain') return t('Explain what the test “{0}” checks and why it may fail. Change nothing yet.', test);
  return message === undefined
    ? t('Run the test “{0}”. If it fails, find the cause and fix it.', test)
    : t('The test “{0}” fails. Find the cause and fix it, then run it again.', test);
}

/** What is known of the failure, for an attachment; undefined when nothing is. */
export function failureText(failure: TestFailure): string | undefined {
  const { name, message, expected, actual, place, stack } = failure;
  if (message === undefined) return undefined;
  const parts = [
    `Test: ${name}`,
    ...(place === undefined ? [] : [`Failed at: ${place}`]),
    `Message:\n${message}`,
    ...(expected === undefined ? [] : [`Expected:\n${expected}`]),
    ...(actual === undefined ? [] : [`Actual:\n${actual}`]),
    ...(stack.length === 0 ? [] : [`Stack:\n${stack.map((frame) => `  at ${frame}`).join('\n')}`]),
  ];
  return truncate(escapeInvisible(parts.join('\n\n')), LONGEST);
}
