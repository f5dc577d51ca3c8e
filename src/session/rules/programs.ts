/** What is known of programs: which of their words run something else, and what their words do to files. */

/** The name of a program as systems that ignore case and endings know it: `/bin/RM.exe` is `rm`. */
export function programName(word: string): string {
  const name = word.split(/[\\/]/).at(-1) ?? '';
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
}

/** Programs whose words are a program again, or text that is run as one: every word counts. */
const RUNNERS: ReadonlySet<string> = new Set(
  `sudo doas su runuser pkexec gosu env xargs parallel nohup nice ionice timeout gtimeout stdbuf setsid unbuffer script time watch
  entr chroot unshare nsenter strace ltrace gdb lldb valgrind perf flock chronic caffeinate taskset prlimit systemd-run at batch crontab
  sh bash zsh dash ksh mksh ash fish csh tcsh busybox toybox cmd powershell pwsh wsl eval exec command builtin source . trap alias unalias
  export declare typeset local readonly set shopt enable hash coproc ssh scp sftp rsync ftp telnet nc ncat netcat socat expect screen tmux
  osascript open start explorer rundll32 regsvr32 mshta wscript cscript msiexec certutil bitsadmin invoke-expression iex invoke-command icm
  invoke-item ii start-process saps start-job new-object add-type set-alias sal import-module
  awk gawk mawk nawk sed gsed ed ex vi vim nvim emacs less more most man perl ruby lua php tclsh R Rscript
  make gmake cmake ninja just task docker podman nerdctl kubectl helm vagrant terraform ansible ansible-playbook
  gh glab hub direnv asdf mise nix nix-shell nix-build guix git-filter-repo`
    .split(/\s+/)
    .map((name) => name.toLowerCase()),
);

/** Programs that fetch or find a program and run it: what they run must be named, what it gets need not. */
const PACKAGE_RUNNERS: ReadonlySet<string> = new Set(
  'npx bunx pnpx uvx pipx dlx corepack npm pnpm yarn bun deno uv poetry pipenv rye hatch pdm bundle rake cargo go dotnet mvn gradle gradlew mvnw composer mix sbt lein'.split(
    ' ',
  ),
);

/** Programs that run text given to them: an option's text is a program. */
const INTERPRETERS =
  /^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|py|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|rscript|java|jshell|scala|groovy|elixir|erl|ghc|runghc)$/;

/** Parts of the names of options whose value programs run, load or write to: `--upload-pack=…`, `--config …`, `--exec`. */
const RISKY_PARTS: ReadonlySet<string> = new Set(
  `exec execute toolexec command cmd program pack pager editor shell hook hooks eval script config plugin plugins require import loader rcfile
  init preload prefix output outfile out rsh askpass credential credentials checkpoint pre preprocessor cwd tree makefile env
  settings runner launcher wrapper interpreter ext textconv`.split(/\s+/),
);

/** Short options that do the same, of the programs that have them. */
const RISKY_SHORT: Readonly<Record<string, RegExp>> = {
  git: /^-(?:[cCOx]|P$)/,
  tar: /^-?[A-Za-z]*[IFC]/,
  ssh: /^-[oFIJSWE]/,
  curl: /^-(?:[a-zA-Z]*[oOKTxduFHAbcDE])/,
  wget: /^-(?:[a-zA-Z]*[OPeiUo])/,
  gcc: /^-(?:B|fplugin|wrapper|o)/,
  sort: /^-o/,
  zip: /^-T/,
  find: /^-(?:exec|ok|delete|fprint|fls)/,
  fd: /^-(?:[a-zA-Z]*[xX])/,
};

/** Words of git that run or set what is run later. */
const GIT_RISKY =
  /^(?:config|difftool|mergetool|bisect|rebase|submodule|filter-branch|filter-repo|hook|maintenance|daemon|instaweb|send-email|credential|archive|upload-pack|receive-pack|upload-archive|fast-import|update-index|worktree|clone|init|remote|alias|grep)$/;

/**
 * The words of a command that a rule must name itself, because they decide what is run: indices into `argv`. `all` where every word does.
 * The program is always one of them.
 */
export function wordsToName(argv: readonly string[]): readonly number[] | 'all' {
  const name = programName(argv[0] ?? '');
  if (RUNNERS.has(name) || INTERPRETERS.test(name)) return 'all';
  const indices = new Set([0]);
  if (PACKAGE_RUNNERS.has(name)) for (const index of throughFirstWord(argv)) indices.add(index);
  const short = RISKY_SHORT[name];
  for (const [index, word] of argv.entries()) {
    const isRisky = index > 0 && (isRiskyOption(word) || (short?.test(word) ?? false));
    if (!isRisky) continue;
    indices.add(index);
    if (!word.includes('=') && index + 1 < argv.length) indices.add(index + 1);
  }
  if (name === 'git') return gitWords(argv, indices);
  return [...indices];
}

function isRiskyOption(word: string): boolean {
  const name = /^--?([A-Za-z][\w-]*)(?:=|$)/.exec(word)?.[1];
  return name !== undefined && name.split('-').some((part) => RISKY_PARTS.has(part.toLowerCase()));
}

/** Up to the first two words that are no options: `npm run build`, `npx eslint`. */
function throughFirstWord(argv: readonly string[]): number[] {
  const plain = argv.flatMap((word, index) => (index > 0 && !word.startsWith('-') ? [index] : []));
  const isRun = /^(?:run|run-script|exec|x|dlx|tool|create|init|start|execute)$/.test(argv[plain[0] ?? 0] ?? '');
  const last = plain[isRun ? 1 : 0] ?? argv.length - 1;
  return Array.from({ length: last + 1 }, (_, index) => index);
}

function gitWords(argv: readonly string[], indices: Set<number>): readonly number[] | 'all' {
  const first = argv.findIndex((word, index) => index > 0 && !word.startsWith('-'));
  if (first < 0) return 'all';
  if (GIT_RISKY.test(argv[first] ?? '')) return 'all';
  return [...indices.add(first)];
}

/** Every command that may be in these words: the words themselves and, for a program that runs its words, each of their ends. For what forbids. */
export function innerCommands(argv: readonly string[]): readonly (readonly string[])[] {
  const name = programName(argv[0] ?? '');
  const runs = RUNNERS.has(name) || PACKAGE_RUNNERS.has(name) || name === 'find' || name === 'fd';
  return runs ? argv.map((_, index) => argv.slice(index)) : [argv];
}

/** Programs that only look at the files they are given. */
const READERS: ReadonlySet<string> = new Set(
  `cat bat head tail less more grep egrep fgrep rg ag ack ls dir eza exa tree find fd file stat wc diff cmp comm sort uniq cut nl od xxd
  hexdump strings md5sum sha1sum sha256sum shasum cksum jq yq column realpath readlink basename dirname du df cd pushd test [ type which
  get-content gc get-childitem gci select-string sls get-item test-path measure-object tsc eslint node python python3`.split(
    /\s+/,
  ),
);

/** Programs whose words are no files. */
const NO_FILES: ReadonlySet<string> = new Set(
  'echo printf write-output write-host true false pwd date whoami hostname uname id sleep seq expr kill export set'.split(
    ' ',
  ),
);

/** Words of git after which nothing in the work tree changes. */
const GIT_READS =
  /^(?:add|blame|branch|commit|describe|diff|fetch|grep|log|ls-files|ls-tree|push|reflog|rev-list|rev-parse|shortlog|show|stage|status|tag)$/;

/** Goes to another folder, as far as the words say to which. */
export function changesFolder(argv: readonly string[]): boolean {
  return /^(?:cd|pushd|chdir|set-location|sl)$/.test(programName(argv[0] ?? ''));
}

/** Goes to a folder that the words do not name: home, or where the shell was before. */
export function leavesUnsaid(argv: readonly string[]): boolean {
  return changesFolder(argv) && argv.slice(1).every((word) => word === '' || word.startsWith('-'));
}

/** What a command does to the files that its words name. */
export function fileUse(argv: readonly string[]): 'none' | 'reads' | 'writes' {
  const name = programName(argv[0] ?? '');
  if (NO_FILES.has(name)) return 'none';
  if (READERS.has(name)) return 'reads';
  if (name === 'git' && GIT_READS.test(argv.slice(1).find((word) => !word.startsWith('-')) ?? '')) return 'reads';
  return 'writes';
}

/** Words that may be paths, as they stand: arguments, values of options, and what is glued to a short option. */
export function pathWords(argv: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const word of argv.slice(1)) {
    if (word.includes('://')) continue;
    const isOption = word.startsWith('-');
    if (!isOption) found.push(word);
    const value = word.slice(word.indexOf('=') + 1);
    if (value !== word && value !== '') found.push(value);
    const glued = isOption ? /^-[^-][^/~]*([/~].*)$/.exec(word)?.[1] : undefined;
    if (glued !== undefined) found.push(glued);
  }
  return found;
}
