// Evidence relay in the pipe: node relay.js COMMAND ARGS… starts the agent, records every line of both sides to CONFORMANCE_EVIDENCE and,
// to test a check, breaks the client as CONFORMANCE_MUTATION names it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { Worker } from 'node:worker_threads';
import type { JsonObject } from '../../src/base/json';
import { asObject, asString } from '../../src/base/json';
import { choices } from './choices';
import type { Mutation, Pipe } from './mutation';
import { mutationOf } from './mutations';
import { isAnswer, parse, paramsOf, resultOf } from './wire';

const env = process.env;
const evidence = env['CONFORMANCE_EVIDENCE'] ?? '';
const mutation: Mutation | undefined = env['CONFORMANCE_MUTATION']
  ? mutationOf(env['CONFORMANCE_MUTATION'])
  : undefined;
const agent = startAgent(process.argv.slice(2));
/** The terminal that the client created last: `$TERMINAL` in a script. */
let terminalId = '';

note({ by: 'start' });

const pipe: Pipe = {
  memory: new Map(),
  toAgent: (message) => fromClient(text(message)),
  toClient: (message) => void process.stdout.write(`${text(message)}\n`),
};

/** A line of the client, broken or not: recorded, and passed to the agent if it is a message. */
function fromClient(line: string): void {
  for (const one of line.split('\n')) note({ by: 'client', line: one });
  const msg = parse(line);
  if (!msg) return;
  terminalId = asString(resultOf(msg)['terminalId']) ?? terminalId;
  // A real agent responds itself.
  if (!env['CONFORMANCE_REAL'] && choices.serves(msg)) {
    const answer = choices.answer(msg);
    note({ by: 'agent', line: JSON.stringify(answer) });
    hear(answer);
    return;
  }
  agent.stdin.write(`${JSON.stringify(msg)}\n`);
}

function hear(msg: JsonObject): void {
  for (const one of mutation?.hears?.(msg, pipe) ?? [msg]) pipe.toClient(one);
}

eachLine(
  process.stdin,
  (line) => {
    const msg = parse(line);
    const sent = msg && mutation?.sends ? mutation.sends(msg, pipe) : [line];
    for (const one of sent) fromClient(text(one));
  },
  (rest) => {
    note({ by: 'eof', rest });
    agent.stdin.end();
  },
);

eachLine(
  agent.stdout,
  (raw) => {
    const line = raw.replaceAll('$TERMINAL', terminalId);
    note({ by: 'agent', line });
    const msg = parse(line);
    if (msg) hear(withChoices(msg));
    else process.stdout.write(`${line}\n`);
  },
  () => process.stdout.end(),
);

agent.stdin.on('error', () => {});

interface Agent {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** A real agent is a program. The fake agent runs in a thread: it starts with half the CPU of a second Node. */
function startAgent([command = '', ...args]: string[]): Agent {
  const [script] = args;
  return script !== undefined && /fakeAgent[\\/]main\.js$/.test(script)
    ? startThread(script, args.slice(1))
    : startProgram(command, args);
}

function startThread(script: string, argv: string[]): Agent {
  const thread = new Worker(script, { argv, stdin: true, stdout: true });
  const { stdin, stdout } = thread;
  if (!stdin) throw new Error('The thread has no stdin.');
  const isRead = once(stdout, 'end');
  thread.on('exit', (code) => void isRead.then(() => end(code)));
  return { stdin, stdout };
}

function startProgram(command: string, args: string[]): Agent {
  const program = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  // Its output has been read to the end by then.
  program.on('close', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    else end(code ?? 0);
  });
  process.once('SIGTERM', () => program.kill('SIGTERM'));
  return program;
}

function end(code: number): void {
  process.stdout.write('', () => process.exit(code));
}

/** Stores the agent's config options, so that selections can be answered. */
function withChoices(msg: JsonObject): JsonObject {
  if (isAnswer(msg)) choices.learn(asObject(msg['result']) ?? {});
  else if (msg['method'] === 'session/update') choices.learn(asObject(paramsOf(msg)['update']) ?? {});
  return msg;
}

function text(message: JsonObject | string): string {
  return typeof message === 'string' ? message : JSON.stringify(message);
}

function note(seen: object): void {
  appendFileSync(evidence, `${JSON.stringify(seen)}\n`);
}

function eachLine(stream: NodeJS.ReadableStream, onLine: (line: string) => void, onEnd: (rest: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let buffer = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (buffer + decoder.write(chunk)).split('\n');
    buffer = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => onEnd(buffer));
}
