import { lastChars } from '../../base/text';

/** A terminal of the session; retained after its release, so that its card keeps the output. */
export interface Terminal {
  readonly terminalId: string;
  /** The command line for display. */
  readonly command: string;
  readonly cwd?: string;
  /** The agent runs the command itself: Parley can neither stop it nor attach to it. */
  readonly foreign?: boolean;
  /** Whether it runs in a pseudo-terminal; absent when unknown. */
  readonly tty?: boolean;
  /** Why it ran without a question of Parley's; absent where the user was asked, and for commands that the agent runs. */
  readonly allowed?: string;
  /** The end of the output, with its escape sequences. */
  readonly output: string;
  /** Output was dropped from the start. */
  readonly truncated: boolean;
  /** Number of UTF-16 units dropped from the start. */
  readonly dropped?: number;
  readonly startedAt: number;
  readonly exit?: { readonly code?: number; readonly signal?: string; readonly at: number };
}

export interface TerminalState {
  /** By terminal id. */
  readonly terminals: Readonly<Record<string, Terminal>>;
}

export type TerminalAction =
  | {
      readonly type: 'terminalCreated';
      readonly terminalId: string;
      readonly command: string;
      readonly cwd?: string;
      /** The agent runs the command itself and only reports its output. */
      readonly foreign?: boolean;
      readonly tty?: boolean;
      readonly allowed?: string;
      readonly at: number;
    }
  | { readonly type: 'terminalOutput'; readonly terminalId: string; readonly data: string }
  | {
      readonly type: 'terminalExited';
      readonly terminalId: string;
      readonly code?: number;
      readonly signal?: string;
      readonly at: number;
    };

/**
 * Minimum UTF-16 units of terminal output retained for the page; at most twice as many. The host retains its own bytes
 * for the agent.
 */
export const MAX_TERMINAL_TAIL_CHARS = 262_144;

/** Agents choose ids of their own, such as `constructor`. */
export function terminalOf(terminals: TerminalState['terminals'], terminalId: string): Terminal | undefined {
  return Object.hasOwn(terminals, terminalId) ? terminals[terminalId] : undefined;
}

export function reduceTerminals<S extends TerminalState>(state: S, action: TerminalAction): S {
  if (action.type === 'terminalCreated') {
    const { type: _type, at, ...fields } = action;
    return withTerminal(state, { ...fields, output: '', truncated: false, startedAt: at });
  }
  const terminal = state.terminals[action.terminalId];
  if (!terminal) return state;
  if (action.type === 'terminalOutput') return withTerminal(state, appendOutput(terminal, action.data));
  const { type: _type, terminalId: _terminalId, ...exit } = action;
  return withTerminal(state, { ...terminal, exit });
}

/**
 * Cuts at multiples of the limit. The result then depends only on the whole output, not on its chunks, which page and
 * history merge; and the cost of a chunk does not depend on earlier output (I8).
 */
function appendOutput(terminal: Terminal, data: string): Terminal {
  const output = terminal.output + data;
  const dropped = terminal.dropped ?? 0;
  const start = (Math.ceil((dropped + output.length) / MAX_TERMINAL_TAIL_CHARS) - 2) * MAX_TERMINAL_TAIL_CHARS;
  if (start <= dropped) return { ...terminal, output };
  const retained = lastChars(output, dropped + output.length - start);
  return { ...terminal, output: retained, dropped: dropped + output.length - retained.length, truncated: true };
}

function withTerminal<S extends TerminalState>(state: S, terminal: Terminal): S {
  return { ...state, terminals: { ...state.terminals, [terminal.terminalId]: terminal } };
}
