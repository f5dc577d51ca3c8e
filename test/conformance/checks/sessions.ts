import { asArray, asObject, isObject, asString } from '../../../src/base/json';
import type { JsonObject } from '../../../src/base/json';
import type { Check } from '../check';
import { eachLife, whole } from '../check';
import type { Evidence } from '../wire';
import { agentCapabilities, dig, isRequest, paramsOf, promptText, resultOf } from '../wire';

/** Methods that require a capability in `agentCapabilities`. */
const MARKERS: Readonly<Record<string, readonly string[]>> = {
  'session/load': ['loadSession'],
  'session/resume': ['sessionCapabilities', 'resume'],
  'session/list': ['sessionCapabilities', 'list'],
  'session/close': ['sessionCapabilities', 'close'],
  'session/delete': ['sessionCapabilities', 'delete'],
  'session/fork': ['sessionCapabilities', 'fork'],
  'session/archive': ['sessionCapabilities', 'archive'],
  'session/unarchive': ['sessionCapabilities', 'archive'],
  'session/status': ['sessionCapabilities', 'status'],
  'session/set_title': ['sessionCapabilities', 'title'],
  logout: ['auth', 'logout'],
  'auth/status': ['auth', 'status'],
  'providers/list': ['providers'],
};

/** Requests that open a session. */
const OPENING = ['session/new', 'session/load', 'session/resume', 'session/fork'];

/** Content blocks that a prompt may contain only if the agent supports them. */
const BLOCKS: Readonly<Record<string, string>> = { image: 'image', audio: 'audio', resource: 'embeddedContext' };

export const sessionChecks: readonly Check[] = [
  eachLife(
    {
      id: 'sessions.advertised',
      page: 'session-setup',
      level: 'MUST',
      sentence: 'Methods that the agent does not advertise are never called; an omitted capability is not supported.',
    },
    (found, life) => {
      const capabilities = agentCapabilities(life);
      for (const msg of life.sent().filter(isRequest)) {
        const marker = MARKERS[String(msg['method'])];
        const value = marker && dig(capabilities, ...marker);
        found.expect(
          !marker || value === true || isObject(value),
          `${String(msg['method'])} was called without its marker`,
        );
      }
    },
  ),
  eachLife(
    {
      id: 'sessions.directories',
      page: 'session-setup',
      level: 'MUST',
      scenarios: ['sessions', 'unadvertised', 'bare'],
      sentence: '`additionalDirectories` is sent only to agents that advertise it.',
    },
    (found, life) => {
      const offered = isObject(dig(agentCapabilities(life), 'sessionCapabilities', 'additionalDirectories'));
      for (const msg of opening(life)) {
        found.expect(
          offered || !('additionalDirectories' in paramsOf(msg)),
          `${String(msg['method'])} names more folders`,
        );
      }
    },
  ),
  whole(
    {
      id: 'sessions.allDirectories',
      page: 'session-setup',
      level: 'MUST',
      scenarios: ['sessions'],
      sentence: 'The whole list of additional folders is sent again with load, resume and fork.',
    },
    (found, evidence) => {
      const lists = opening(evidence).map((msg) => JSON.stringify(paramsOf(msg)['additionalDirectories'] ?? []));
      for (const list of lists) found.expect(list === lists[0] && list !== '[]', `${list}, at first ${lists[0]}`);
    },
  ),
  whole(
    {
      id: 'sessions.sameFolder',
      page: 'session-setup',
      level: 'MUST',
      scenarios: ['sessions'],
      sentence: 'A session is loaded, resumed and forked with its original folder.',
    },
    (found, evidence) => {
      const folders = new Map<unknown, unknown>();
      for (const msg of opening(evidence)) {
        const { sessionId, cwd } = paramsOf(msg);
        const known = folders.get(sessionId);
        if (known !== undefined)
          found.expect(
            cwd === known,
            `${String(msg['method'])} with ${JSON.stringify(cwd)}, not ${JSON.stringify(known)}`,
          );
        const result = answerIn(evidence, msg);
        folders.set(result['sessionId'] ?? sessionId, cwd);
      }
    },
  ),
  whole(
    {
      id: 'sessions.knownIds',
      page: 'session-setup',
      level: 'MUST',
      sentence: 'Only session ids that the agent has sent are used, exactly as sent.',
    },
    (found, evidence) => {
      const told = new Set<unknown>();
      for (const one of evidence.seen) {
        if (one.by === 'agent' && one.msg) {
          told.add(resultOf(one.msg)['sessionId']);
          for (const listed of asArray(resultOf(one.msg)['sessions'])) told.add(dig(listed, 'sessionId'));
          if (dig(one.msg, 'params', 'update', 'sessionUpdate') === 'subagent_update')
            told.add(dig(one.msg, 'params', 'update', 'sessionId'));
        }
        const { sessionId } = one.by === 'client' && one.msg ? paramsOf(one.msg) : {};
        if (sessionId !== undefined) found.expect(told.has(sessionId), `nobody told ${JSON.stringify(sessionId)}`);
      }
    },
  ),
  whole(
    {
      id: 'sessions.replay',
      page: 'session-setup',
      level: 'MUST',
      scenarios: ['sessions'],
      sentence:
        'The messages that the agent replays when a session is loaded become the transcript, without duplicates.',
    },
    (found, evidence) => {
      const loads = evidence.sent('session/load');
      found.expect(loads.length > 0, 'no session was loaded');
      const loaded = String(evidence.facts('loaded')[0]);
      const answers = loaded.split('\n').filter((line) => /^ {2}(First|Second|Other) answer$/.test(line));
      found.expect(answers.length > 0 && new Set(answers).size === answers.length, `shown after loading: ${loaded}`);
    },
  ),
  whole(
    {
      id: 'sessions.cursors',
      page: 'session-list',
      level: 'MUST',
      scenarios: ['sessions'],
      sentence:
        'All pages of `session/list` are requested, with each cursor exactly as the agent sent it, until there is no cursor.',
    },
    (found, evidence) => {
      let pages = 0;
      let wanted: unknown;
      for (const msg of evidence.sent('session/list')) {
        const { cursor } = paramsOf(msg);
        found.expect(
          (cursor ?? undefined) === wanted,
          `cursor ${JSON.stringify(cursor)}, not ${JSON.stringify(wanted)}`,
        );
        if (cursor !== undefined) pages++;
        wanted = answerIn(evidence, msg)['nextCursor'] ?? undefined;
      }
      found.expect(pages > 0, 'no second page was asked for');
      found.expect(wanted === undefined, 'the last page was not asked for');
    },
  ),
  whole(
    {
      id: 'sessions.listed',
      page: 'session-list',
      level: 'Parley',
      scenarios: ['sessions'],
      sentence: 'A session from the agent’s list is opened by `session/load` with the listed id and folder.',
    },
    (found, evidence) => {
      const listed = evidence.heard().flatMap((msg) => asArray(resultOf(msg)['sessions']));
      for (const msg of evidence.sent('session/load')) {
        const { sessionId, cwd } = paramsOf(msg);
        const same = listed.find((one) => dig(one, 'sessionId') === sessionId);
        found.expect(same !== undefined && dig(same, 'cwd') === cwd, `loaded ${String(sessionId)} in ${String(cwd)}`);
      }
    },
  ),
  eachLife(
    {
      id: 'prompt.blocks',
      page: 'content',
      level: 'MUST',
      sentence: 'A prompt contains only blocks that the agent supports; text and links are always allowed.',
    },
    (found, life) => {
      const takes = asObject(agentCapabilities(life)['promptCapabilities']) ?? {};
      for (const msg of life.sent('session/prompt')) {
        const types = asArray(paramsOf(msg)['prompt']).map((block) => String(dig(block, 'type')));
        const wrong = types.filter((type) => type in BLOCKS && takes[BLOCKS[type] ?? ''] !== true);
        found.expect(types.length > 0 && wrong.length === 0, `the prompt has ${types.join(', ') || 'no block'}`);
      }
    },
  ),
  whole(
    {
      id: 'prompt.attached',
      page: 'content',
      level: 'MUST',
      sentence:
        'Attachments arrive unchanged if the agent supports them, otherwise as a link, or they are rejected with a message.',
    },
    (found, evidence) => {
      const prompts = evidence.sent('session/prompt');
      const typesOf = (text: string): string[] =>
        prompts
          .filter((msg) => promptText(msg) === text)
          .flatMap((msg) => asArray(paramsOf(msg)['prompt']).map((block) => String(dig(block, 'type'))));
      const refused = evidence.facts('refused').at(-1);
      if (typesOf('text Taken').length > 0) {
        found.expect(
          typesOf('text Taken').join() === 'text,image,resource',
          `sent ${typesOf('text Taken').join(', ')}`,
        );
      }
      if (refused === undefined) return;
      found.expect(
        typesOf('text As a link').join() === 'text,resource_link',
        `sent ${typesOf('text As a link').join(', ')}`,
      );
      found.expect(typesOf('text Never sent').length === 0, 'sent a picture to an agent that takes none');
      found.expect(/Not sent/.test(asString(refused) ?? ''), 'the person was not told that the picture was not sent');
    },
  ),
  whole(
    {
      id: 'prompt.oneTurn',
      page: 'prompt-turn',
      level: 'MUST',
      sentence: 'The next prompt of a session is sent only after the answer to the previous one.',
    },
    (found, evidence) => {
      for (const life of evidence.lives()) {
        const open = new Map<unknown, JsonObject>();
        for (const msg of life.sent('session/prompt')) {
          const { sessionId } = paramsOf(msg);
          const before = open.get(sessionId);
          const answer = before && life.answerOf(before);
          found.expect(
            !before || (answer !== undefined && life.at(answer) < life.at(msg)),
            'a prompt was sent while one ran',
          );
          open.set(sessionId, msg);
        }
      }
    },
  ),
  whole(
    {
      id: 'prompt.commands',
      page: 'slash-commands',
      level: 'MUST',
      scenarios: ['tools'],
      sentence: 'A command is sent as plain text in a prompt; each update replaces the list of commands.',
    },
    (found, evidence) => {
      found.expect(
        evidence.sent('session/prompt').some((msg) => promptText(msg) === '/review the code'),
        'not sent as text',
      );
      const [last] = evidence.shown.split('\n').filter((line) => line.startsWith('commands:'));
      found.expect(last === 'commands: /review', `shown are ${last}`);
    },
  ),
  eachLife(
    {
      id: 'prompt.trace',
      page: 'extensibility',
      level: 'Parley',
      scenarios: ['talk', 'tools'],
      sentence: 'Each turn starts a W3C trace: `_meta.traceparent` is valid and unique.',
    },
    (found, life) => {
      const traces = life.sent('session/prompt').map((msg) => String(dig(paramsOf(msg), '_meta', 'traceparent')));
      for (const [index, trace] of traces.entries()) {
        found.expect(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]$/.test(trace), `traceparent is ${trace}`);
        found.expect(traces.indexOf(trace) === index, 'two turns have one trace');
      }
    },
  ),
];

function opening(evidence: Evidence): JsonObject[] {
  return evidence.sent().filter((msg) => OPENING.includes(String(msg['method'])));
}

/** The result of a request, in the process that received it. */
function answerIn(evidence: Evidence, request: JsonObject): JsonObject {
  const life = evidence.lives().find((one) => one.at(request) >= 0);
  return resultOf(life?.answerOf(request));
}
