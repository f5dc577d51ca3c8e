import { TerminalScreen, screenLineText } from './terminalScreen';

/** The text that a terminal shows for this output, without colors; overwritten text is absent. */
export function outputText(output: string): string {
  const finished: string[] = [];
  const screen = new TerminalScreen((line) => finished.push(screenLineText(line)));
  screen.write(output);
  return finished.join('') + screen.text;
}
