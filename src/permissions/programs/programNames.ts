/** The program's name without folder, case and extension: `/bin/RM.exe` is `rm`. */
export function programName(word: string): string {
  const name = word.split(/[\\/]/).at(-1) ?? '';
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
}

/** Versions of programs: `bash5`, `node22`, `python3.12` and `bash-static`. */
const VERSIONED =
  /^(\w*sh|nodejs|node|deno|bun|python|pypy|perl|ruby|php|luajit|lua|tcl|g?[mn]?awk|g?sed|g?make|n?vim|emacs|gdb|lldb|pip|gpg|irb|ipython|sqlite|guile|erl|java|npm|npx|git|tsx|busybox|env|timeout)(?:[-_]?\d[\d.]*|[-.](?:static|dbg|lts|stable|nightly))$/;

/** The name of a program without its version. */
export function plainName(name: string): string {
  return VERSIONED.exec(name)?.[1] ?? name;
}

/** Folders of system programs. */
const SYSTEM = /^(?:\/usr\/local|\/usr|\/opt\/homebrew|\/run\/current-system\/sw)?\/s?bin\/[\w.+[-]+$/;

/** The path is outside the system folders, so that the name does not identify the program. */
export function isOwnProgram(word: string): boolean {
  return /[\\/]/.test(word) && !SYSTEM.test(word) && !isEditorNode(word);
}

/** VS Code's own Node, with which Parley runs script agents; such agents use it for their commands. */
function isEditorNode(word: string): boolean {
  return word === process.execPath;
}

/** The program's name without a version, if the name identifies it; else empty. */
export function knownProgram(word: string): string {
  if (isEditorNode(word)) return 'node';
  return isOwnProgram(word) ? '' : plainName(programName(word));
}

/** Folders in which a project installs tools; a program there, or a project's wrapper of a build tool, is what its name says. */
const TOOL_FOLDER =
  /(?:^|[\\/])(?:node_modules[\\/]\.bin|\.?v?env[\\/](?:bin|scripts)|vendor[\\/]bin)[\\/][^\\/]+$|(?:^|[\\/])(?:gradlew|mvnw)(?:\.bat|\.cmd)?$/i;

/** As {@link knownProgram}, and the name of a tool that the project has installed. */
export function toolName(word: string): string {
  return TOOL_FOLDER.test(word) ? plainName(programName(word)) : knownProgram(word);
}
