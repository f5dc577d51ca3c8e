/** A test as proof: its file below `test` and its title; or the id of a check of this suite. */
export interface Proof {
  readonly file: string;
  readonly title: string;
}

/** Observed deviations of real agents, and the tests that prove that Parley accepts them. */
export interface Tolerance {
  readonly says: string;
  readonly proofs: readonly Proof[];
}

const translate = 'unit/session/translate/translateUpdate.test.ts';
const reducer = 'unit/shared/state/sessionReducer.test.ts';
const session = 'unit/session/session.test.ts';
const connection = 'unit/agent/connection/agentConnection.test.ts';
const CHECK = 'conformance';
const here = 'conformance/tolerance.test.ts';

export const TOLERANCE: readonly Tolerance[] = [
  point(
    'An update before its tool call, and a late `pending`',
    [translate, 'creates one card for an update before its tool_call, and keeps its status'],
    [reducer, 'are not reset by a late pending, and not restarted after their end'],
  ),
  point(
    'A permission for a tool call that was never announced',
    [session, 'shows a permission request for an unknown tool call'],
    [CHECK, 'permission.toolCall'],
  ),
  point('Tool calls that are unfinished when the turn ends', [reducer, 'are closed by the end of the turn']),
  point('A tool call id that is used again in a later turn', [
    translate,
    'treats an id of an earlier turn as a new call',
  ]),
  point(
    'Updates with only `_meta`, fields that are omitted or sent later, three forms of diffs for new files',
    [translate, 'ignores an update that only carries _meta'],
    [translate, 'shows a diff as hunks, with all forms of a new file'],
    [translate, 'reads an unknown kind as "other", and keeps the status for an unknown one'],
    [CHECK, 'tools.patch'],
  ),
  point('Empty chunks', [reducer, 'creates no entry for an empty chunk']),
  point(
    'The agent’s own requests and notifications, `$/cancel_request`',
    [CHECK, 'requests.unknown'],
    [CHECK, 'notifications.unknown'],
    [CHECK, 'cancelRequest.answered'],
  ),
  point('Updates before the answer to `session/new`, and outside turns', [
    session,
    'keeps updates before the response of session/new, and after the turn',
  ]),
  point(
    'Answers without an id or with a null id; ids that are strings',
    [connection, 'is not stopped by unexpected responses or malformed messages'],
    [connection, 'may have strings as ids'],
    [CHECK, 'requests.answeredOnce'],
  ),
  point('Two options of one kind, “always” first', [CHECK, 'permission.options'], [CHECK, 'permission.offered']),
  point(
    'Another protocol version in the answer; agents that require absolute folders and a list of MCP servers',
    [CHECK, 'initialize.otherVersion'],
    [CHECK, 'paths.absolute'],
    [CHECK, 'sessions.mcpServers'],
  ),
  point(
    'An agent that fails if a missing file is an error',
    ['unit/agent/quirks/agentQuirks.test.ts', 'are found by the name in the initialize response'],
    [CHECK, 'files.missing'],
  ),
  point(
    'Requests for capabilities that the client does not advertise',
    [CHECK, 'initialize.markers'],
    [here, 'a write without the capability is rejected, and the turn continues'],
  ),
  point(
    'Output on stderr, and other text on stdout',
    [here, 'output on stderr is neither an error nor part of the conversation'],
    [connection, 'logs noise and continues'],
  ),
  point('Warnings as text, work without any tool call, turns without any text', [
    here,
    'a warning in the answer is shown as text, and a turn without output ends',
  ]),
  point(
    'One tool call id for several questions, announced twice, or missing',
    ['unit/session/toolCallIds.test.ts', 'show each question of one id as its own call'],
    ['unit/session/toolCallIds.test.ts', 'show a call that is announced twice in a turn as two'],
    ['unit/session/toolCallIds.test.ts', 'show ended calls that are announced with other outcomes as two'],
    ['unit/session/toolCallIds.test.ts', 'may be missing or numbers'],
  ),
  point(
    'A history replay on `session/resume`, after the response, in part, with context, or cut in another way',
    ['unit/session/agents/replayedHistory.test.ts', 'does not swallow an answer that repeats an earlier one'],
    ['unit/session/agents/replayedHistory.test.ts', 'is completed by what the agent knows beyond it, on a resume'],
    [
      'unit/session/agents/replayedHistory.test.ts',
      'is completed by the end of a call that the crash of the agent cut off',
    ],
  ),
  point(
    '“Internal error” whose reason is in `error.data`, of any shape, or only a code',
    ['unit/session/errorReasons.test.ts', 'is shown for session/prompt, with Sign In where it is about signing in'],
    ['unit/session/errorReasons.test.ts', 'is shown with Sign In where only codes are about signing in'],
  ),
  point(
    'Forms with `anyOf` and `null`, `$ref`, `const`, lists of types, enums of integers',
    ['unit/session/userRequests/generatedForms.test.ts', 'never refuses a form for one of its properties'],
    [
      'unit/session/userRequests/elicitationForm.test.ts',
      'answers a form as generators write it with the types of its schema',
    ],
  ),
  point(
    'Todos of a tool in place of a plan; stop reasons that are missing or not in the list',
    ['unit/session/translate/translateUpdate.test.ts', 'show the todos of a tool as a plan'],
    ['unit/session/session.test.ts', 'ends a turn with any stop reason'],
  ),
  point('A fenced block that quotes fences of the same length', [
    'page/markdown.test.ts',
    'ends at its last fence, in a list and with tildes',
  ]),
  point(
    '`~` in a command, a variable or an MCP server; settings that come late, and a default agent that is unknown or invalid',
    ['unit/agent/config/agentSettings.test.ts', 'expands the home folder as shells do, but not in URLs and headers'],
    [
      'unit/mcp/userServers/config/readServerEntries.test.ts',
      'may name the home folder by a tilde, but not in URLs and headers',
    ],
    ['unit/session/setAgent.test.ts', 'follows settings that come after the chat was opened, until the first message'],
    ['unit/session/setAgent.test.ts', 'is required before a message, unless nothing is configured'],
  ),
  point(
    'Messages of any size',
    ['unit/hostile/wire.test.ts', 'leaves a notice in its chat if it has too many values, and the turn continues'],
    ['unit/hostile/wire.test.ts', 'leaves a notice in its chat, and the turn continues'],
  ),
];

function point(says: string, ...proofs: readonly (readonly [file: string, title: string])[]): Tolerance {
  return { says, proofs: proofs.map(([file, title]) => ({ file, title })) };
}
