import { sortedEntries } from '../../base/json';
import { isEveryAddress } from '../programs/outsideEffects';
import { programName } from '../programs/programNames';
import { programNamed } from '../programs/programTable';
import type { ParsedCommandLine } from '../shell/shellLine';
import type { RuleCommand } from './ruleRequest';

/** Effects of environment variables on a command: with another `PATH` or an `LD_PRELOAD` the same words run something else. */

/** Variables that only identify the caller or format output. */
const PLAIN =
  /^(?:CLAUDECODE|CLAUDE_CODE_ENTRYPOINT|GEMINI_CLI|QWEN_CODE|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|TERM|COLORTERM|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GIT_MERGE_AUTOEDIT|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|RUST_BACKTRACE|RUST_LOG|CARGO_TERM_COLOR|DOTNET_NOLOGO|DOTNET_CLI_TELEMETRY_OPTOUT|PYTHONHASHSEED|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING|PYTHONUTF8)$/;
/** Without slashes, since some of these may name files. */
const PLAIN_VALUE = /^[^/\\\p{Cc}]*$/u;

/** Variables that name a program, and harmless values. */
const NAMES_PROGRAM = /^(?:(?:GIT_|MAN|SYSTEMD_|BAT_)?PAGER|(?:GIT_|GIT_SEQUENCE_|VI|KUBE_)?EDITOR|VISUAL)$/;
const IDLE_PROGRAM = /^(?:cat|true|:|)$/;

/** More memory for Node. */
const NODE_MEMORY = /^(?:--max[-_]old[-_]space[-_]size=\d+)?$/;

/**
 * Variables that select programs, libraries, hooks, configuration files and network peers: of the loader, shells, git, interpreters,
 * compilers, package runners, the network.
 */
const DECIDES = new RegExp(
  `^(?:${[
    'PATH|PATHEXT|COMSPEC|SHELL|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|WINDIR|ZDOTDIR|XDG_.*|TMPDIR|IFS|CDPATH',
    'LD_.*|DYLD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|MALLOC_.*|TERMINFO.*|TERMCAP',
    'ENV|S?RANDOM|SECONDS|LINENO|OPTIND|HISTCMD|GLOBIGNORE|EXECIGNORE|POSIXLY_CORRECT|BASH_.*|BASHOPTS|SHELLOPTS|PS\\d|PS_PERSONALITY|PROMPT_COMMAND|PSMODULEPATH|INPUTRC|FPATH',
    'GIT_.*|.*PAGER|(?:.*_)?(?:EDITOR|ASKPASS|RSH|SSH|BROWSER|VISUAL)|LESS.*|MORE|MAN(?:OPT|PATH|ROFFOPT|ROFFSEQ|LESS)|GROFF_.*|VIM.*|MYVIMRC|EXINIT|EMACS.*',
    'NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|REPL_.*|V8_COVERAGE)|ELECTRON_(?!RUN_AS_NODE$).*|NPM_CONFIG_.*|YARN_.*|PNPM_.*|BUN_.*|DENO_.*|COREPACK_.*',
    'PYTHON.*|PIP_.*|UV_.*|POETRY_.*|VIRTUALENV_.*|PERL.*|PY(?:TEST|PY|ENV|CHARM).*|TOX_.*|COVERAGE_PROCESS_START|RUBY.*|GEM_.*|BUNDLE_.*|PHPRC|PHP_INI_.*|LUA_.*|R_.*|JULIA_.*|ERL_.*|ELIXIR_.*',
    '_?JAVA_.*|JDK_JAVA_OPTIONS|CLASSPATH|MAVEN_.*|GRADLE_.*|JVM_OPTS|DOTNET_.*|COR_.*|CORECLR_.*|COMPLUS_.*|NUGET_.*|MSBUILD.*',
    'CC|CXX|CPP|LD|AR|AS|FC|F77|RM|YACC|LEX|MAKE|MAKEFILES|CROSS_COMPILE|COMPILER_PATH|GCC_EXEC_PREFIX|RUST.*|CARGO.*|GO(?:PROXY|PATH|ROOT|SUMDB|PRIVATE|TOOLCHAIN|ENV|CACHEPROG|AUTH|VCS)|CMAKE_.*',
    '(?:.*_)?PROXY|SSL_CERT_.*|CURL_.*|REQUESTS_CA_BUNDLE|WGETRC|OPENSSL_.*|DOCKER_.*|KUBECONFIG|TAR_OPTIONS|GREP_OPTIONS|RIPGREP_CONFIG_PATH|GH_.*|AWS_.*',
    'BAT_.*|FZF_DEFAULT_.*|ACKRC|HG.*|JJ_.*|SVN_.*|RSYNC_.*|SSH_.*|PSQL.*|PG.*|MYSQL_.*|TS_NODE_.*|BABEL_.*|CCACHE_.*|SCCACHE_.*|DISTCC_.*|ANSIBLE_.*|TF_.*|HELM_.*|MIX_.*|OCAML.*|GHC.*|GUILE_.*|TCLLIBPATH|OCTAVE_.*|SBCL_.*',
    // Options, programs and libraries of other programs.
    '.*(?:OPTS|FLAGS)|(?:.*_)?(?:OPT|OPTIONS|PLUGINS?|PRELOAD|COMMAND|CMD|WRAPPER|LAUNCHER|INTERPRETER|STARTUP)|.*_(?:BIN|EXE|BINARY|EXECUTABLE|LIBRARY)(?:_PATH)?',
  ].join('|')})$`,
);

/** A value that runs a command where bash takes it for a number or expands it again: `x[$(id)]`, `$(id)`, `${y@P}`. */
function runsCommand(value: string): boolean {
  const bracket = value.indexOf('[');
  // Not as one expression, which would take minutes for a million brackets.
  return /`|\$[({[]/.test(value) || (bracket >= 0 && value.lastIndexOf('$') > bracket);
}

/** Whether a variable does not change what runs. Names are compared case-insensitively, as on Windows. */
function isPlain([name, value]: readonly [name: string, value: string]): boolean {
  const upper = name.toUpperCase();
  if (NAMES_PROGRAM.test(upper)) return IDLE_PROGRAM.test(value);
  if (upper === 'NODE_OPTIONS') return NODE_MEMORY.test(value);
  return PLAIN.test(upper) && PLAIN_VALUE.test(value);
}

/** The variables that are part of an approval, sorted by name; undefined without any. */
export function relevantVariables({ env = {} }: RuleCommand): Readonly<Record<string, string>> | undefined {
  const relevant = sortedEntries(env).filter((entry) => !isPlain(entry));
  return relevant.length === 0 ? undefined : Object.fromEntries(relevant);
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** The first variable that selects code: passed, set before the command, or set by `env` or `export`. */
export function codeLoadingVariable(
  { env = {} }: RuleCommand,
  { inner, sets = [] }: { readonly inner: ParsedCommandLine['commands']; readonly sets?: ParsedCommandLine['sets'] },
): string | undefined {
  const all = allVariables({ env }, { inner, sets });
  return all.find((entry) => runsCommand(entry[1]) || (DECIDES.test(entry[0].toUpperCase()) && !isPlain(entry)))?.[0];
}

/** The first variable that tells a server to listen for other machines. */
export function openingVariable(
  command: RuleCommand,
  facts: Parameters<typeof codeLoadingVariable>[1],
): string | undefined {
  return allVariables(command, facts).find(([, value]) => value.split(';').some(isEveryAddress))?.[0];
}

/** Values of variables that may name files: `COVERAGE_FILE=/x` has unknown effects. */
export function variableValues(
  command: RuleCommand,
  facts: { readonly inner: ParsedCommandLine['commands']; readonly sets?: ParsedCommandLine['sets'] },
): readonly string[] {
  return allVariables(command, facts).flatMap((entry) => (isPlain(entry) ? [] : [entry[1]]));
}

function allVariables(
  { env = {} }: RuleCommand,
  { inner, sets = [] }: { readonly inner: ParsedCommandLine['commands']; readonly sets?: ParsedCommandLine['sets'] },
): (readonly [name: string, value: string])[] {
  const words = inner.flatMap((argv) =>
    programNamed(programName(argv[0] ?? ''))?.setsVariables ? argv.slice(1).flatMap(assignmentsIn) : [],
  );
  return [...Object.entries(env), ...sets, ...words];
}

function assignmentsIn(word: string): (readonly [string, string])[] {
  const [, name, value] = ASSIGNMENT.exec(word) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}
