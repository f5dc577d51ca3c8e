import { TerminalScreen, textOf } from './terminalScreen';

/** The text that a terminal shows for this output, without colours; overwritten text is absent. */
export function outputText(output: string): string {
  const settled: string[] = [];
  const screen = new TerminalScreen({ settled: (line) => settled.push(textOf(line)) });
  screen.write(output);
  return settled.join('') + screen.text;
}
