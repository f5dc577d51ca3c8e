import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../../../src/base/json';
import { asArray, asObject, asString } from '../../../src/base/json';
import type { Received } from './rawClient';

/** What the client noted and what the agent sent, in order. */
export type LogEntry = string | Received;

/**
 * A log as text: a line for each message, and a block for each streamed text. Without what differs from run to run.
 * @param folder the workspace of the session, absolute
 */
export function renderLog(log: readonly LogEntry[], folder: string): string {
  const lines: string[] = [];
  const calls = new Map<unknown, string>();
  let [plan, streamed, text] = ['', '', ''];
  const endText = (): void => {
    if (streamed) lines.push(`${streamed}:`, ...text.split('\n').map((line) => `  ${line}`.trimEnd()));
    [streamed, text] = ['', ''];
  };
  const json = (value: unknown): string => JSON.stringify(value, (key, part: unknown) => shown(key, part));
  for (const entry of log) {
    const update = typeof entry === 'string' ? undefined : asObject(entry.params['update']);
    const kind = asString(update?.['sessionUpdate']) ?? '';
    if (update && kind.endsWith('_chunk')) {
      if (kind !== streamed) endText();
      [streamed, text] = [kind, text + String(asObject(update['content'])?.['text'])];
      continue;
    }
    if (typeof entry !== 'string' && entry.method === undefined) continue;
    endText();
    if (typeof entry === 'string') lines.push(entry);
    else if (!update) lines.push(`asks ${entry.method} ${json(requestOf(entry.params, calls))}`);
    else if (kind === 'plan') {
      const steps = asArray(update['entries']).map((each) => asObject(each) ?? {});
      const names = steps.map((step) => String(step['content'])).join(' | ');
      const states = steps.map((step) => String(step['status'])[0]).join('');
      lines.push(`plan ${states}${names === plan ? '' : `: ${names}`}`);
      plan = names;
    } else {
      const { sessionUpdate: _kind, ...rest } = update;
      if (kind === 'tool_call') calls.set(rest['toolCallId'], JSON.stringify(rest));
      lines.push(`${kind} ${json(rest)}`);
    }
  }
  endText();
  return withoutPlaces(`${lines.join('\n')}\n`, folder);
}

/** The parameters of a request without the session; a tool call that the agent has reported in the same words is its id. */
function requestOf({ sessionId: _session, ...params }: JsonObject, calls: ReadonlyMap<unknown, string>): JsonObject {
  const call = asObject(params['toolCall']);
  const isKnown = call && calls.get(call['toolCallId']) === JSON.stringify(call);
  return isKnown ? { ...params, toolCall: call['toolCallId'] } : params;
}

/** A program's text is that of the scene; how many tokens are used depends on the length of the folder's path. */
function shown(key: string, value: unknown): unknown {
  if (key === 'args') return '…';
  return key === 'used' || key === 'resetsAt' ? '…' : value;
}

function withoutPlaces(text: string, folder: string): string {
  const escaped = (path: string): string => JSON.stringify(path).slice(1, -1);
  return [escaped(process.execPath), process.execPath]
    .reduce((left, path) => left.replaceAll(path, '<node>'), text)
    .replaceAll(pathToFileURL(folder).href, 'file://<folder>')
    .replaceAll(escaped(folder), '<folder>')
    .replaceAll(folder, '<folder>')
    .replaceAll(/<folder>[^"\s]*/g, (path) => path.replaceAll(/\\+/g, '/'))
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(process.version, '<version>');
}
