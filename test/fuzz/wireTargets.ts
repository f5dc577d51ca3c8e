import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { recoverMessageIds } from '../../src/agent/connection/recoverMessageIds';
import { parseIndex } from '../../src/agent/registry/registryIndex';
import { systemClock } from '../../src/base/clock';
import { isObject } from '../../src/base/json';
import { nullLogger } from '../../src/base/logger';
import { Redactor } from '../../src/base/redactor';
import type { TranscriptWriter } from '../../src/history/transcriptWriter';
import { DEPTH_LIMIT, limitDepth, NdjsonDecoder, parseMessage } from '../../src/node/process/ndjson';
import { SessionModel } from '../../src/session/sessionModel';
import type { Action } from '../../src/shared/state/sessionActions';
import { parseRecording } from '../../src/shared/traffic/trafficRecording';
import { stubOf } from '../kit/stubOf';
import { replayTraffic } from '../replay/player';
import { render } from '../replay/render';
import { edited, edits, hostileText } from './hostile';
import { agentMessages, recordings } from './recordings';
import type { Target } from './target';
import { anyInput } from './target';

const NAMES = [...recordings.keys()];

/** A whole recording with some messages changed, through the session's model; replaying its actions gives the same state (I1). */
const sessions: Target = {
  name: 'sessions',
  property: () =>
    anyInput(
      fc.property(
        fc.constantFrom(...NAMES),
        fc.array(fc.tuple(fc.nat(500), edits), { maxLength: 6 }),
        (name, changes) => {
          const records = [...(recordings.get(name) ?? [])];
          for (const [at, change] of changes) {
            const index = at % records.length;
            const record = records[index];
            if (record?.dir !== 'in') continue;
            const msg = edited(record.msg, change);
            if (typeof msg === 'object' && msg !== null && !Array.isArray(msg))
              records[index] = { ...record, msg: { ...msg } };
          }
          const actions: Action[] = [];
          const state = replayTraffic(records, actions);
          assert.equal(typeof render(state), 'string');
          // The model survives an exception in translation and stores the raw update under this label: here it counts as a failure.
          assert.ok(!actions.some((action) => action.type === 'rawReceived' && action.label === 'unreadable update'));
          assert.deepEqual(replayTraffic([], structuredClone(actions), true), state);
          // The state goes to the page as JSON.
          assert.deepEqual(JSON.parse(JSON.stringify(state)), JSON.parse(JSON.stringify(structuredClone(state))));
        },
      ),
    ),
};

/** Bytes of messages, damaged and split anywhere: no exception, and every whole message is decoded. */
const lines: Target = {
  name: 'lines',
  property: () =>
    anyInput(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...agentMessages), edits, fc.constantFrom('\n', '\r\n', '')), {
          maxLength: 5,
        }),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
        fc.integer({ min: 1, max: 5_000 }),
        (messages, damage, chunk) => {
          const text = messages.map(([message, change, end]) => JSON.stringify(edited(message, change)) + end).join('');
          const bytes = Buffer.from(text);
          for (const [at, byte] of damage) if (bytes.length > 0) bytes[at % bytes.length] = byte;
          let length = 0;
          const decoder = new NdjsonDecoder(
            (line, size) => {
              length += size;
              const message = parseMessage(line);
              if (message) limitDepth(message);
            },
            (line) => {
              length += line.bytes;
              recoverMessageIds(line);
            },
            20_000,
          );
          for (let at = 0; at < bytes.length; at += chunk) decoder.push(bytes.subarray(at, at + chunk));
          decoder.end();
          assert.equal(length, bytes.filter((byte) => byte !== 10).length);
        },
      ),
    ),
};

/** Deeply nested messages lose only what is too deep. */
const depth: Target = {
  name: 'depth',
  property: () =>
    anyInput(
      fc.property(
        fc.constantFrom(...agentMessages),
        fc.nat(3_000),
        fc.array(edits, { maxLength: 1 }),
        (message, levels, [change]) => {
          let deep: unknown = 1;
          for (let level = 0; level < levels; level++) deep = level % 3 === 0 ? { a: deep } : [deep];
          const whole = { ...(edited(message, change ?? []) as object), deep };
          limitDepth(whole);
          JSON.stringify(whole);
          new Redactor().value(whole);
          assert.equal(JSON.stringify(whole).includes('levels deep'), levels >= DEPTH_LIMIT);
        },
      ),
    ),
};

/** Text, or JSON of any kind: a line need not be an object, nor the first one a header. */
const noiseLine = fc.oneof(hostileText, fc.constantFrom('null', '5', '[]', '"x"', '{}'), fc.json());

/** Imported files: the result is an error that names the position, or the content. */
const files: Target = {
  name: 'files',
  property: () =>
    anyInput(
      fc.property(
        fc.constantFrom(...agentMessages),
        edits,
        fc.array(noiseLine, { maxLength: 3 }),
        (message, change, noise) => {
          const line = JSON.stringify({ dir: 'in', t: 1, msg: edited(message, change) });
          orClearError(() => parseRecording([line, ...noise].join('\n')));
          orClearError(() => parseRecording([...noise, line].join('\n')));
          const agent = { id: 'x', name: 'X', version: '1', distribution: { npx: { package: 'x@1' } } };
          orClearError(() => parseIndex(edited({ version: '1.0.0', agents: [agent] }, change)));
        },
      ),
    ),
};

/** An intended error, not an unexpected exception. */
function orClearError(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof Error && !(error instanceof TypeError || error instanceof RangeError), String(error));
  }
}

const kept = actionsOf('claude-edit.jsonl');

/** A damaged or forged transcript on disk: valid actions are applied, and the chat can be rendered. */
const transcripts: Target = {
  name: 'transcripts',
  property: () =>
    anyInput(
      fc.property(fc.array(fc.tuple(fc.nat(kept.length - 1), edits), { maxLength: 5 }), (changes) => {
        const actions: unknown[] = [...kept];
        for (const [at, change] of changes) actions[at] = edited(actions[at], change);
        const usable = actions.filter(
          (action): action is Action => isObject(action) && typeof action['type'] === 'string',
        );
        const history = stubOf<TranscriptWriter>({ append() {}, appendDiff() {} });
        const model = new SessionModel({
          id: 'kept',
          folders: ['/workspace'],
          history,
          log: nullLogger,
          clock: { ...systemClock, now: () => 1 },
        });
        model.restore({ id: 'kept', actions: usable, diffs: new Map(), damaged: 0 });
        assert.ok(Number.isSafeInteger(model.state.entries.count));
        assert.equal(typeof JSON.stringify(model.state), 'string');
      }),
    ),
};

function actionsOf(name: string): Action[] {
  const actions: Action[] = [];
  replayTraffic(recordings.get(name) ?? [], actions);
  return actions;
}

export const wireTargets: readonly Target[] = [sessions, lines, depth, files, transcripts];
