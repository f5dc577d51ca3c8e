import { TerminalScreen, textOf } from './terminalScreen';

/** What a terminal with this output shows, as text: colours left out, what was drawn over drawn over. */
export function outputText(output: string): string {
  const settled: string[] = [];
  const screen = new TerminalScreen({ settled: (line) => settled.push(textOf(line)) });
  screen.write(output);
  return settled.join('') + screen.text;
}
