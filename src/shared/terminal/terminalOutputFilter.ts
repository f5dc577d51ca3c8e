import { AnsiParser } from './ansiParser';

/** Bell, backspace, line movements, and shifts between character sets. */
const characters = new Set(['\u0007', '\b', '\n', '\u000B', '\f', '\r', '\u000E', '\u000F']);
/** Character sets, cursor, scrolling, keypad, reset. Not ESC Z, which asks what the terminal is. */
const escapes = /^(?:[78=>DEHMc]|[(-/][0-~]|#\d|%[@G])$/;
/**
 * Control sequences (parameters and final) that a terminal does not answer. Numbers are limited: terminals loop over the count of
 * repeated characters or inserted lines.
 */
const controls =
  /^(?!.*\d{5})(?:[\d:;]*[@A-MPSTXZ`abd-hlmrsu]|\?[\d;]*[JKhlrs]|[<=>][\d;]*u|>[\d;]*m|[\d;]*(?: [@Aq]|!p|"q|'[}~]))$/;
/** Makes the terminal report its focus, color theme or size at once or later. */
const reports = /^\?(?:.*;)?0*(?:1004|2031|2048)(?:;.*)?h$/;

/**
 * Output of a command, for a terminal of VS Code: only text and sequences that draw. A terminal answers queries as if the user had typed
 * the answer, and lets OSC 52 read and set the clipboard. Therefore sequences are written again from what was parsed, and strings (OSC,
 * DCS, APC) are dropped, also titles and hyperlink URLs.
 */
export class TerminalOutputFilter {
  #output = '';
  readonly #parser = new AnsiParser({
    text: (text) => this.#add(text),
    character: (character) => characters.has(character) && this.#add(character === '\n' ? this.lineFeed : character),
    control: (final, parameters) => this.#control(parameters + final),
    escape: (final) => escapes.test(final) && this.#add(`\u001B${final}`),
  });

  /** @param lineFeed what a line feed becomes: the output of a pipe has no carriage returns */
  constructor(private readonly lineFeed: '\n' | '\r\n') {}

  /** A sequence split between chunks is returned with its end. */
  filter(chunk: string): string {
    this.#parser.write(chunk);
    const output = this.#output;
    this.#output = '';
    return output;
  }

  #control(sequence: string): void {
    if (controls.test(sequence) && !reports.test(sequence)) this.#add(`\u001B[${sequence}`);
  }

  #add(text: string): void {
    this.#output += text;
  }
}
