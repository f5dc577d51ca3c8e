/** The name of a program as systems that ignore case and endings know it: `/bin/RM.exe` is `rm`. */
export function programName(word: string): string {
  const name = word.split(/[\\/]/).at(-1) ?? '';
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
}

/** Where systems keep their programs. */
const SYSTEM = /^(?:\/usr\/local|\/usr|\/opt\/homebrew|\/run\/current-system\/sw)?\/s?bin\/[\w.+[-]+$/;

/** The program is named by a path of somebody's own, so that its name says nothing about it. */
export function isOwnProgram(word: string): boolean {
  return /[\\/]/.test(word) && !SYSTEM.test(word) && !isEditorNode(word);
}

/** The editor's own Node, by which Parley runs the agents that come as a script; such agents use it for their commands. */
function isEditorNode(word: string): boolean {
  return word === process.execPath;
}

/** The name of a program that can be known by it; else empty. */
export function knownProgram(word: string): string {
  if (isEditorNode(word)) return 'node';
  return isOwnProgram(word) ? '' : programName(word);
}
