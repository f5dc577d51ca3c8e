/** Programs that fetch a package and run it. */
const RUNNERS: ReadonlySet<string> = new Set(['npx', 'pnpx', 'pnx', 'bunx', 'uvx']);

/** Programs that fetch a package and run it when called with one of these subcommands. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x', 'init', 'create'],
  pnpm: ['dlx', 'create'],
  yarn: ['dlx', 'create'],
  yarnpkg: ['dlx', 'create'],
  bun: ['x', 'create'],
  uv: ['tool'],
  pipx: ['run'],
  deno: ['x'],
};

/**
 * Whether a command line fetches a package and runs it: such runners prefer packages and settings of their start
 * folder. Every word is checked, so that wrappers are found too (`cmd /c npx`, `env A=1 npx`, `sh -c "npx …"`, `node
 * …/npx-cli.js`, `corepack pnpm dlx`). A false match only changes the start folder.
 */
export function usesPackageRunner(command: string, args: readonly string[]): boolean {
  const words = [command, ...args].flatMap((text) => text.split(/[\s"';&|()]+/)).map(programName);
  return words.some((word, at) => {
    if (RUNNERS.has(word) || word.startsWith('npm:')) return true;
    const commands = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
    return commands?.some((one) => words.includes(one, at + 1)) ?? false;
  });
}

/** Without folder, ending and version: `C:\x\NPX.CMD`, `npx-cli.js`, `pnpm@10`. */
function programName(word: string): string {
  const name = word.split(/[\\/]/).at(-1)?.toLowerCase() ?? '';
  return name.replace(/@[^]*$/, '').replace(/(?:-cli)?\.(?:exe|cmd|bat|com|ps1|[cm]?js)$/, '');
}
