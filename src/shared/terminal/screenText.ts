import { TerminalScreen, screenLineText } from './terminalScreen';

/** The text that a terminal shows for this output, without colors; overwritten text is absent. */
export function outputText(output: string): string {
  const settled: string[] = [];
  const screen = new TerminalScreen({ onFinishedLine: (line) => settled.push(screenLineText(line)) });
  screen.write(output);
  return settled.join('') + screen.text;
}
