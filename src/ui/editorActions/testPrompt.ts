import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { escapeInvisible, escapeInvisibleInline } from '../../base/untrustedText';
import type { ProblemRequest } from './problemPrompt';

/** Builds the messages about a failing test. Pure. */

export interface FailedTest {
  /** The test's name with its suites first, as in the Test Explorer. */
  readonly name: string;
  readonly message?: string;
  readonly expected?: string;
  readonly actual?: string;
  /** Location of the failure: `src/a.test.ts:4`. */
  readonly location?: string;
  /** Innermost first, each as `name (src/a.test.ts:4)`. */
  readonly stack: readonly string[];
}

/** Maximum UTF-16 units of a test's output. */
const MAX_OUTPUT = 20_000;

export function testPrompt(request: ProblemRequest, { name, message }: FailedTest): string {
  const test = escapeInvisibleInline(name);
  if (request === 'explain')
    return t('Explain what the test “{0}” checks and why it may fail. Do not change anything yet.', test);
  return message === undefined
    ? t('Run the test “{0}”. If it fails, find the cause and fix it.', test)
    : t('The test “{0}” fails. Find the cause and fix it, then run it again.', test);
}

/** The attached details of a failure; undefined when there are none. */
export function failureText(failure: FailedTest): string | undefined {
  const { name, message, expected, actual, location, stack } = failure;
  if (message === undefined) return undefined;
  const parts = [
    `Test: ${name}`,
    ...(location === undefined ? [] : [`Failed at: ${location}`]),
    `Message:\n${message}`,
    ...(expected === undefined ? [] : [`Expected:\n${expected}`]),
    ...(actual === undefined ? [] : [`Actual:\n${actual}`]),
    ...(stack.length === 0 ? [] : [`Stack:\n${stack.map((frame) => `  at ${frame}`).join('\n')}`]),
  ];
  return truncate(escapeInvisible(parts.join('\n\n')), MAX_OUTPUT);
}
