import * as vscode from 'vscode';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Attachment, LineRange } from '../../shared/state/attachments';
import { linesLabel } from '../attachments/selectionAttachment';
import type { ChatTarget } from './chatTarget';
import type { ProblemRequest } from './problemPrompt';
import { failureText, testPrompt } from './testPrompt';
import type { FailedTest } from './testPrompt';

/** The argument of menu commands in VS Code's testing views: a test, or one of its messages. */
interface TestTarget {
  readonly test: vscode.TestItem;
  readonly message?: vscode.TestMessage;
}

/** Number of context lines around a failure. */
const CONTEXT_LINES = 5;

/** Number of stack frames whose lines are attached. */
const MAX_FRAMES = 2;

/** The test in the argument of a menu command; undefined for other arguments. */
export function testTarget(target: unknown): TestTarget | undefined {
  if (!isObject(target)) return undefined;
  const { test, message } = target;
  if (isTest(test)) return { test, ...(isMessage(message) && { message }) };
  return isTest(target) ? { test: target } : undefined;
}

function isTest(value: unknown): value is vscode.TestItem {
  // The class is not exported to extensions.
  return (
    isObject(value) && typeof value['label'] === 'string' && typeof value['id'] === 'string' && 'children' in value
  );
}

function isMessage(value: unknown): value is vscode.TestMessage {
  return isObject(value) && value['message'] !== undefined;
}

/** Starts a message about a test, with its output and the locations of its failure. */
export async function askAboutTest(to: ChatTarget, request: ProblemRequest, target: TestTarget): Promise<void> {
  const failure = failureOf(target);
  const text = failureText(failure);
  const label = t('Test failure: {0}', target.test.label);
  const attachments: Attachment[] = [
    ...(text === undefined ? [] : [{ kind: 'text', label, text } as const]),
    ...sourceLinesOf(target).map(({ uri, lines }): Attachment => {
      to.attachments.allow(uri);
      return { kind: 'lines', uri: uri.toString(), label: linesLabel(uri, lines), lines };
    }),
  ];
  await to.chat.compose(testPrompt(request, failure), attachments);
}

function failureOf({ test, message }: TestTarget): FailedTest {
  const name = testName(test);
  const text = message ? plain(message.message) : test.error && plain(test.error);
  const { expectedOutput: expected, actualOutput: actual, location, stackTrace = [] } = message ?? {};
  return {
    name,
    ...(text !== undefined && { message: text }),
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    ...(location && { location: placeLabel(location.uri, location.range.start) }),
    stack: stackTrace.map(({ label, uri, position }) => (uri ? `${label} (${placeLabel(uri, position)})` : label)),
  };
}

/** The test's name with its suites, outermost first. */
function testName(test: vscode.TestItem): string {
  const names = [test.label];
  for (let { parent } = test; parent; { parent } = parent) names.unshift(parent.label);
  return names.join(' › ');
}

function plain(text: string | vscode.MarkdownString): string {
  return typeof text === 'string' ? text : text.value;
}

function placeLabel(uri: vscode.Uri, position: vscode.Position | undefined): string {
  const path = vscode.workspace.asRelativePath(uri);
  return position ? `${path}:${position.line + 1}` : path;
}

interface SourceLines {
  readonly uri: vscode.Uri;
  readonly lines: LineRange;
}

/** Locations in the workspace of the failure and its callers; else of the test. */
function sourceLinesOf({ test, message }: TestTarget): readonly SourceLines[] {
  const frames = (message?.stackTrace ?? []).flatMap(({ uri, position }) =>
    uri && position ? [{ uri, position }] : [],
  );
  const { location } = message ?? {};
  const locations = [...(location ? [{ uri: location.uri, position: location.range.start }] : []), ...frames]
    .filter(({ uri }) => vscode.workspace.getWorkspaceFolder(uri) !== undefined)
    .slice(0, MAX_FRAMES)
    .map(({ uri, position }) => ({ uri, lines: around(position.line + 1, position.line + 1) }));
  if (locations.length > 0 || !test.uri || !test.range) return locations;
  return [{ uri: test.uri, lines: { first: test.range.start.line + 1, last: test.range.end.line + 1 } }];
}

function around(first: number, last: number): LineRange {
  return { first: Math.max(1, first - CONTEXT_LINES), last: last + CONTEXT_LINES };
}
