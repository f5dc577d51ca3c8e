/** The name of a program as systems that ignore case and endings know it: `/bin/RM.exe` is `rm`. */
export function programName(word: string): string {
  const name = word.split(/[\\/]/).at(-1) ?? '';
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
}

/** `bash5`, `node22`, `python3.12` and `bash-static`: the program in one of its versions. */
const VERSIONED =
  /^(\w*sh|nodejs|node|deno|bun|python|pypy|perl|ruby|php|luajit|lua|tcl|g?[mn]?awk|g?sed|g?make|n?vim|emacs|gdb|lldb|pip|gpg|irb|ipython|sqlite|guile|erl|java|npm|npx|git|tsx|busybox|env|timeout)(?:[-_]?\d[\d.]*|[-.](?:static|dbg|lts|stable|nightly))$/;

/** The name of a program without its version. */
export function plainName(name: string): string {
  return VERSIONED.exec(name)?.[1] ?? name;
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

/** The name of a program that can be known by it, without a version; else empty. */
export function knownProgram(word: string): string {
  if (isEditorNode(word)) return 'node';
  return isOwnProgram(word) ? '' : plainName(programName(word));
}
