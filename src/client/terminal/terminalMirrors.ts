import type { Event } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Action } from '../../shared/state/sessionActions';
import { TERMINAL_COLUMNS, TERMINAL_ROWS } from '../../shared/terminal/terminalScreen';
import type { SessionState } from '../../shared/state/sessionState';
import type { Terminal } from '../../shared/state/terminalState';
import { exitText } from '../../shared/text/statusText';
import type { Tty } from './commandHandle';
import { TerminalMirror } from './terminalMirror';
import { stripTerminalQueries } from './stripTerminalQueries';

/** The parts of a session that terminals need. */
export interface TerminalSession {
  readonly id: string;
  readonly state: SessionState;
  readonly onDidDispatch: Event<{ readonly action: Action }>;
}

/** Finds the input of a command while it runs. */
type FindTty = (terminalId: string) => Tty | undefined;

interface OpenView {
  readonly view: TerminalMirror;
  readonly owned: DisposableStore;
}

/**
 * "Show in Terminal": one VS Code terminal per command, with its output from the transcript. So it also works for
 * commands that agents run themselves, after release, and after a window reload.
 */
export class TerminalMirrors implements Disposable {
  readonly #tty: FindTty;
  readonly #open = new Map<string, OpenView>();

  constructor(tty: FindTty) {
    this.#tty = tty;
  }

  /** False when the transcript has no such terminal. */
  show(session: TerminalSession, terminalId: string): boolean {
    const terminal = session.state.terminals[terminalId];
    if (!terminal) return false;
    // Terminal ids of agents are unique within one session only.
    const key = `${session.id} ${terminalId}`;
    const { view } = this.#open.get(key) ?? this.#create(session, terminal, key);
    view.show();
    return true;
  }

  dispose(): void {
    for (const { owned } of this.#open.values()) owned.dispose();
    this.#open.clear();
  }

  #create(session: TerminalSession, terminal: Terminal, key: string): OpenView {
    const { terminalId } = terminal;
    const owned = new DisposableStore();
    const view = owned.add(
      new TerminalMirror({
        title: terminal.command,
        raw: terminal.tty === true,
        tty: () => this.#tty(terminalId),
        onClosed: () => this.#close(key, terminalId),
      }),
    );
    const opened = { view, owned };
    this.#open.set(key, opened);
    showSoFar(view, terminal, this.#tty(terminalId) !== undefined);
    owned.add(session.onDidDispatch(({ action }) => follow(view, terminalId, action)));
    return opened;
  }

  #close(key: string, terminalId: string): void {
    const opened = this.#open.get(key);
    if (!opened) return;
    this.#open.delete(key);
    opened.owned.dispose();
    this.#tty(terminalId)?.resize(TERMINAL_COLUMNS, TERMINAL_ROWS);
  }
}

function showSoFar(view: TerminalMirror, terminal: Terminal, canType: boolean): void {
  if (!terminal.exit && !canType) view.note(t('Read-only: input is not sent to the command.'));
  view.write(stripTerminalQueries(terminal.output));
  if (terminal.exit) view.note(exitLine(terminal.exit));
}

function follow(view: TerminalMirror, terminalId: string, action: Action): void {
  if (action.type !== 'terminalOutput' && action.type !== 'terminalExited') return;
  if (action.terminalId !== terminalId) return;
  if (action.type === 'terminalOutput') view.write(action.data);
  else view.note(exitLine(action));
}

function exitLine(exit: NonNullable<Terminal['exit']>): string {
  return t('The command has ended: {0}', exitText(exit));
}
