import type { Action } from '../../src/shared/state/sessionActions';

const ESC = '\u001b';
const paint = (codes: string, text: string): string => `${ESC}[${codes}m${text}${ESC}[0m`;

/** A tool call with its own command. */
export function command(
  terminalId: string,
  line: string,
  at: number,
  more: { readonly tty?: boolean; readonly foreign?: boolean } = { tty: true },
): Action[] {
  const patch = {
    title: line,
    tool: 'execute',
    status: 'running',
    content: [{ type: 'terminal', terminalId }],
  } as const;
  return [
    { type: 'terminalCreated', terminalId, command: line, ...more, at },
    { type: 'toolStarted', toolCallId: terminalId, patch, at },
  ];
}

export const output = (terminalId: string, data: string): Action => ({ type: 'terminalOutput', terminalId, data });

/** Output of a build: two progress bars that are redrawn in place, as docker, npm and cargo do. */
export function bars(steps: number): string {
  const bar = (name: string, done: number): string => {
    const full = Math.round((done / steps) * 20);
    return `${name} ${paint('32', '━'.repeat(full))}${paint('90', '━'.repeat(20 - full))} ${Math.round((done / steps) * 100)}%`;
  };
  const frame = (done: number): string =>
    `${ESC}[K${bar('api', done)}\r\n${ESC}[K${bar('web', Math.max(0, done - 2))}\r\n`;
  return `${ESC}[?25l${Array.from({ length: steps }, (_, done) => frame(done + 1)).join(`${ESC}[2A`)}${ESC}[?25h`;
}

/** Commands in every state of a card. */
export function terminals(now: number): Action[] {
  const tests = Array.from(
    { length: 60 },
    (_, at) => `${paint('32', '✔')} part ${at} ${paint('2', `(${at % 9} ms)`)}\r\n`,
  );
  return [
    { type: 'connectionChanged', connection: { status: 'ready' } },
    { type: 'titleChanged', title: 'Build and test' },
    { type: 'promptSent', text: 'Build it and run the tests', blocks: [], at: now - 60_000 },
    ...command('build', 'docker compose build', now - 22_000),
    output('build', `${paint('1;36', '[+] Building')} 2 images\r\n${bars(10)}`),
    ...command('test', 'npm test', now - 50_000),
    output('test', `${paint('7', ' RUN ')} ${paint('38;5;208', 'v3.1')} ${paint('4;34', '/work')}\r\n`),
    output('test', `${tests.join('')}\r\n${paint('41;97', ' FAIL ')} ${paint('1;31', 'retry gives up')}\r\n`),
    { type: 'terminalExited', terminalId: 'test', code: 1, at: now - 41_000 },
    { type: 'toolChanged', entry: 2, patch: { status: 'failed' }, at: now - 41_000 },
    ...command('serve', 'python -m http.server', now - 30_000, { tty: false }),
    output('serve', 'Serving HTTP on 0.0.0.0 port 8000\n'),
    { type: 'terminalExited', terminalId: 'serve', signal: 'SIGTERM', at: now - 24_000 },
    { type: 'toolChanged', entry: 3, patch: { status: 'done' }, at: now - 24_000 },
    ...command('own', 'git status --short', now - 4000, { foreign: true }),
    output('own', ` ${paint('31', 'M')} src/retry.ts\n${paint('31', '??')} notes.md\n`),
  ];
}
