import { parseJson } from '../../../base/json';
/** One failed test, with the texts of its runner. */
export interface TestFailure {
  readonly name: string;
  /** Enclosing suites, outermost first, joined by ` > `. */
  readonly suite?: string;
  /** Absolute. */
  readonly path?: string;
  /** 1-based. */
  readonly line?: number;
  readonly message?: string;
  readonly expected?: string;
  readonly actual?: string;
}

/** The report of VS Code's tool `runTests`. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly TestFailure[];
  /** Only present when no failure has a message. */
  readonly output?: string;
}

const FAILURE =
  /<testFailure name=("(?:[^"\\]|\\.)*") path=("(?:[^"\\]|\\.)*")>\n([^]*?)<\/testFailure>\n?(?=<testFailure |<output>|<coverage|$)/g;

/** Parses the output of `runTests`; undefined when it reports no run. */
export function readTestReport(text: string): TestReport | undefined {
  const summary = /<summary passed=(\d+) failed=(\d+) \/>/.exec(text);
  if (!summary) return undefined;
  const failures = Array.from(text.matchAll(FAILURE), toFailure);
  const output = /<output>\n([^]*)\n<\/output>/.exec(text)?.[1];
  return { passed: Number(summary[1]), failed: Number(summary[2]), failures, ...nonEmpty('output', output) };
}

function toFailure([, name = '""', suite = '""', body = '']: RegExpMatchArray): TestFailure {
  return { name: parseQuoted(name), ...nonEmpty('suite', parseQuoted(suite)), ...details(body) };
}

function details(body: string): Partial<TestFailure> {
  const location = /<(?:location|stackFrame) path="([^"\n]*)" line="(\d+)"/.exec(body);
  return {
    ...(location?.[1] !== undefined && { path: location[1], line: Math.max(1, Number(location[2])) }),
    ...nonEmpty('message', textIn(body, 'message')),
    ...nonEmpty('expected', textIn(body, 'expectedOutput')),
    ...nonEmpty('actual', textIn(body, 'actualOutput')),
  };
}

/** The text of the first such element; it is not escaped. */
function textIn(body: string, name: string): string | undefined {
  return new RegExp(`<${name}>\\n([^]*?)\\n</${name}>`).exec(body)?.[1];
}

function parseQuoted(json: string): string {
  const value = parseJson(json);
  return typeof value === 'string' ? value : json;
}

function nonEmpty<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return value === undefined || value === '' ? {} : ({ [key]: value } as { readonly [P in K]?: string });
}
