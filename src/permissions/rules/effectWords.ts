import { t } from '../../base/l10n';
import { commandUse } from '../programs/commandUse';
import { INTERPRETERS, PACKAGE_RUNNERS } from '../programs/knownPrograms';
import { packageCommand } from '../programs/packageCommand';
import { projectTools } from '../programs/projectTools';
import { shells, wrapperPrograms } from '../programs/wrapperPrograms';
import { knownProgram, programName, toolName } from '../programs/programNames';

/**
 * Effects that the words of a command name, whatever the program: publishing, serving files, showing credentials. Lists of programs miss
 * the next one; such tools all use the same few verbs.
 */

export const PUBLISHES = t('publishes or deploys');
export const SERVES = t('serves files to other programs or machines');
export const SHOWS_OTHERS = t('can show the environment or memory of other processes');
export const SENDS = t('acts on another machine or service');
export const SHOWS = t('can reveal credentials');

/** Programs that run recipes of the project: `make publish` runs like `npm run publish`. */
const RECIPES = /^(?:make|gmake|just|task)$/;
/** Verbs behind which a word names a script, a test or a file of the project. */
const SCRIPT_VERB = /^(?:run|run-script|run-many|run-p|run-s)$/;
/** In front of a filter or a text for people. */
const BEFORE_TEXT =
  /^(?:-[a-z]*[mk]|-run|-bench|--?(?:tests?|grep|fgrep|filter|run|test-?name-?pattern|message|title|body|description|reason|comment))$/i;

/** Verbs that publish wherever they stand. */
const PUBLISHING = new Set(['publish', 'unpublish', 'deploy', 'redeploy', 'upload', 'pastebin', 'shipit']);
const NEGATIVE = /(?:^|-)(?:no|non|skip|without|disable|never|local|locally|m2)(?:-|$)/;
const NEGATIVE_VALUE = /^(?:false|no|never|none|off|0)$/i;
/** Verbs of one place only: the words often mean something else. */
const PUBLISHING_FIRST =
  /^(?:release|full-release|smart-release|push|submit|deliver|distribute|promote|land|ship|apply|sign-and-publish|workspaces-publish)$/;
/** `publish` and `release` write into the project's build folder. */
const BUILDS_ONLY = /^(?:dotnet publish|(?:mix|rebar3) release|(?:swift|zig|xcodebuild|cmake|meson|bazel) release)$/;
/** Programs for publishing, by a part of their name. */
const PUBLISHER =
  /(?:^|-)(?:publish|deploy|upload|release|pastebin)(?:er)?-|-(?:publish|deploy|upload|release|pastebin)(?:er)?$|^(?:np|gh-pages|surge|codecov|coveralls|chromatic|percy|snyk|fossa|sonar-scanner|bumpp|eas|kamal|fastlane|capistrano|cap|zappa|chalice|copilot|shipit|sentry-cli|auto|arc|web-ext-submit|goreleaser|pastebinit|fpaste|gist|vc|now)$/;
/** Uses of these that only read or work locally. */
const LOCAL_USE =
  /^(?:(?:-?-?(?:version|help)|-[Vh])$|(?:test|lint|check|build|init|run|list|ls|status|validate|diff --\S+)(?: |$))|(?:^| )--(?:version|help)$/;

/** Servers of the files of a folder, by name: also packages (`npx x`) and modules (`python -m x`). */
const FILE_SERVER =
  /^[\w-]*?(?:https?|ssh|telnet|rsync|nfs|smb|git|svn)d$|^[\w-]*?(?:https?|files?|static|web|webdav|ftps?|sftp|live|simple-?http|wsgi|xmlrpc)[-_.]?(?:files?[-_.]?)?(?:serve|servers?)(?:[-_.]\w+)?$|^(?:serve|serve-(?:static|handler|index)|miniserve|dufs|sfz|\w*httpd2?|webfsd?|nginx|caddy|devd|twistd?|browser-sync|pyftpdlib|aiohttp\.web|wsgidav|smbd|vsftpd|proftpd|pure-ftpd|ftpd|tftpd|ttyd|gotty|tty-share|croc|wormhole|magic-wormhole|sendme|localtunnel|lt|bore|frpc|ws|copyparty|filebrowser|svnserve|code-server|openvscode-server|wetty|tmate|upterm|zrok|pagekite|chisel|rathole|jupyter-(?:lab|notebook|server)|ipfs)$/;
const SHOWS_SERVER =
  /^(?:-?-?(?:version|help)|-[Vvth]|(?:validate|fmt|adapt|list-modules|build-info|environ)(?: .*)?)$|(?:^| )--(?:version|help)$/;
/** Servers of a project's own pages while it is developed, for this machine. */
const DEVELOPMENT_SERVER =
  /^(?:ng|vite|webpack|webpack-cli|vue-cli-service|mkdocs|jekyll|hugo|next|nuxt|astro|gatsby|docusaurus|eleventy|parcel|rollup|rspack|rsbuild|esbuild|trunk|ember|quasar|ionic|nx|expo|storybook|deno|bun|stencil|antora|mdbook|zola|pelican|artisan|symfony|rails|hexo|honkit|slidev|vitepress|vuepress|skeleton|dotnet|dart|flutter|ollama|gradle|gradlew)$/;

const SECRET = String.raw`(?:\w+-)?(?:tokens?|secrets?|credentials?|passwords?|passwd|api-?keys?)`;
const READS = '(?:get|show|print|list|ls|export|reveal|dump|view|read|cat|decrypt|access)';
/** `auth token`, `print-access-token`, `secrets list`, `credentials:show`. */
const SHOWS_SECRET = new RegExp(
  `(?:^|[ :-])(?:auth|${READS})(?:[ :-]\\w+)??[ :-]${SECRET}(?= |$)|(?:^|[ :])${SECRET}[ :-]${READS}(?= |$)`,
);
/** `config list`, `config --show`: settings hold addresses with passwords. */
const SHOWS_CONFIG = new RegExp(
  `(?:^| )(?:config|showconfig|settings)(?: --?[\\w=.-]+)*? (?:-l|--list|--show(?:-[\\w-]+)?|${READS}|debug)(?= |$)`,
);

interface Words {
  /** Without version: `serve` of `npx serve@14`; empty for a script of the project. */
  readonly tool: string;
  /** The name of the program, also of a script of the project. */
  readonly label: string;
  /** Everything behind the program. */
  readonly words: readonly string[];
}

/** The program and its effect, in a few words; undefined if its words name none. */
export function effectByWords(argv: readonly string[]): string | undefined {
  const name = knownProgram(argv[0] ?? '');
  // The words of these are data (files, texts, patterns), or a command that is judged on its own.
  if (commandUse(argv) !== undefined || wrapperPrograms.has(name) || shells.has(name)) return undefined;
  const label = programName(argv[0] ?? '').replace(/(?<=.)@.*$/, '');
  const read: Words = { tool: toolName(argv[0] ?? '').replace(/(?<=.)@.*$/, ''), label, words: ownWords(argv, label) };
  const why = namesOtherMachine(argv)
    ? SENDS
    : publishes(read)
      ? PUBLISHES
      : serves(read) || opensToOthers(argv)
        ? SERVES
        : showsSecrets(read)
          ? SHOWS
          : attaches(read)
            ? SHOWS_OTHERS
            : undefined;
  return why && `${label} ${why}`;
}

/** The words that the program itself reads; those of a command behind it are judged as that command. */
function ownWords(argv: readonly string[], name: string): readonly string[] {
  return (PACKAGE_RUNNERS.has(name) ? packageCommand(argv, name).own : argv).slice(1);
}

const MANAGERS = /^(?:npm|pnpm|yarn|bun|deno)$/;
/** Each word is a task of its own: `mvn test deploy`. */
const TASK_RUNNER = /^(?:mvn[wd]?|gradlew?|sbt|lein|rake|mix)$/;
const FILTER_VERB = /^(?:test|tests|t|tst|bench|check|clippy|vet|ls|list|why|explain|tree|doc)$/;

/** Whether the operands are files and filters, as those of linters and of `cargo test`. */
function readsFilters({ tool, words }: Words): boolean {
  if (TASK_RUNNER.test(tool)) return false;
  if (projectTools.has(tool) && !PACKAGE_RUNNERS.has(tool)) return !INTERPRETERS.test(tool);
  return FILTER_VERB.test(operandsOf(words)[0] ?? '');
}

function publishes(read: Words): boolean {
  const { tool, label, words } = read;
  if (words.some(isPublishingOption)) return true;
  if (/^gradlew?$/.test(label) && words.includes('--scan')) return true;
  if (PUBLISHER.test(tool)) return !LOCAL_USE.test(words.join(' '));
  if (RECIPES.test(tool) || readsFilters(read)) return false;
  const operands = operandsOf(words);
  if (MANAGERS.test(tool)) return operands.some((word) => /^(?:un)?publish$/.test(word));
  const [first = ''] = operands;
  if (BUILDS_ONLY.test(`${tool} ${first}`)) return false;
  return PUBLISHING_FIRST.test(first) || operands.slice(0, 2).includes('push') || operands.some(isPublishingVerb);
}

/** Words that may be verbs: without options, texts and the script that a `run` names. */
function operandsOf(words: readonly string[]): readonly string[] {
  const run = words.findIndex((word) => SCRIPT_VERB.test(word));
  return (run < 0 ? words : words.slice(0, run)).filter(
    (word, index) => /^[+:@\w][\w.:@+-]*$/.test(word) && !BEFORE_TEXT.test(words[index - 1] ?? ''),
  );
}

/** `publish`, `:lib:publish`, `publishToSonatype`, `hex.publish`, `gh-deploy`, `docker:publish`. */
function isPublishingVerb(word: string): boolean {
  // A file or an address.
  if (/\.(?:[cm]?[jt]sx?|json|ya?ml|md|py|rb|sh|txt|html?|toml)$|@/.test(word)) return false;
  const parts = nameParts(word);
  return !NEGATIVE.test(parts.join('-')) && parts.some((part) => PUBLISHING.has(part));
}

/** `--publish=always`, `--pastebin`, `--auto-publish`, `--tunnel`; not `--no-publish`, `--push=false`. */
function isPublishingOption(word: string, index: number, words: readonly string[]): boolean {
  const [, name = '', value = words[index + 1] ?? ''] = /^--([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
  if (name === '' || NEGATIVE_VALUE.test(value)) return false;
  const parts = nameParts(name);
  const isEffect = [parts[0], parts.at(-1)].some(
    (part) => part === 'push' || part === 'tunnel' || PUBLISHING.has(part ?? ''),
  );
  return isEffect && !NEGATIVE.test(parts.join('-'));
}

function nameParts(word: string): readonly string[] {
  return word
    .replace(/([a-z\d])(?=[A-Z])/g, '$1-')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((part) => part !== '');
}

function serves(read: Words): boolean {
  const { tool, words } = read;
  if (FILE_SERVER.test(tool)) return !SHOWS_SERVER.test(words.join(' '));
  if (PACKAGE_RUNNERS.has(tool) || RECIPES.test(tool) || projectTools.has(tool)) return false;
  const operands = operandsOf(words);
  if (/^jupyter$/.test(tool)) return /^(?:notebook|lab|server|nbclassic)$/.test(operands[0] ?? '');
  const isServer = (word: string): boolean => word !== 'serve' && FILE_SERVER.test(word) && !/^(?:lt|ws)$/.test(word);
  if (/^(?:share|tunnel|funnel|expose)$/.test(operands[0] ?? '')) return true;
  return operands.slice(0, 2).some(isServer) || (operands[0] === 'serve' && !DEVELOPMENT_SERVER.test(tool));
}

/** Debuggers and profilers of a running process. */
function attaches({ words }: Words): boolean {
  return words[0] === 'attach' || words.some((word) => /^--pid(?:=|$)/.test(word));
}

/** An address of all network interfaces. */
const EVERY_ADDRESS = /^(?:-[A-Za-z])?(?:(?!https?:)[a-z]+:\/\/)?(?:0\.0\.0\.0|\[::\])(?::\d+)?(?:\/|$)/i;
/** `-b :8000`, `--listen=:80`, `runserver 0:8000`. */
const EVERY_ADDRESS_AT = /(?:^| )(?:-b|-l|--?(?:bind|listen|addr(?:ess)?)|runserver)[ =]0?:\d+(?= |$)/;
/** `--host` without a value; some servers then listen for other machines. */
const OPEN_OPTION = /^--(?:host|listen|expose|bind[-_](?:ip[-_])?all)$/;

/** Whether a value tells a server to listen for other machines. */
export function isEveryAddress(value: string): boolean {
  return EVERY_ADDRESS.test(value) || value === '::';
}

function opensToOthers([, ...words]: readonly string[]): boolean {
  if (EVERY_ADDRESS_AT.test(words.join(' '))) return true;
  return words.some((word, index) => {
    const next = words[index + 1] ?? '-';
    if (OPEN_OPTION.test(word) && (next.startsWith('-') || next === 'true')) return true;
    const value = /^-[^=]*=(.*)$/s.exec(word)?.[1];
    if (value !== undefined) return isEveryAddress(value) || value === '*';
    return EVERY_ADDRESS.test(word) || (word === '::' && words[index - 1]?.startsWith('-') === true);
  });
}

/** `s3://x`, `--to=rtmp://host/x`: reading needs no such scheme. */
const OTHER_MACHINE =
  /^(?:-[^=\s]*=)?(?:jdbc:)?(?!https?:|file:|sqlite:|duckdb:|mem|chrome|vscode|moz|app:|asset:|res:|resource:|classpath:|unix:|npipe:|fd:|view-source:)[a-z][a-z\d+.-]*:\/\/(?![/?#])(?!(?:[^/@\s]*@)?(?:localhost(?:[:/?]|$)|127\.|\[::1?\]|0\.0\.0\.0))\S+$/i;

function namesOtherMachine([, ...words]: readonly string[]): boolean {
  return words.some((word) => OTHER_MACHINE.test(word));
}

function showsSecrets({ tool, words }: Words): boolean {
  if (PACKAGE_RUNNERS.has(tool) || RECIPES.test(tool) || projectTools.has(tool)) return false;
  const text = words.join(' ');
  return SHOWS_SECRET.test(text) || SHOWS_CONFIG.test(text);
}

const ENVIRONMENT_KEYWORD = /(?:^|,)env(?:iron(?:ment)?)?(?:$|[,=:])/i;
const TAKES_VALUE =
  /^-(?:[A-Za-z]*[oOpqstuUgGCkn]|-(?:format|pid|ppid|sort|user|User|group|Group|tty|cols|columns|width|rows|lines|sid|quick-pid))$/;

/** Whether `ps` shows the environment of processes: `ps e`, `ps auxe`, `ps -E` (macOS). `ps -e` only selects all processes. */
export function showsEnvironment([, ...words]: readonly string[]): boolean {
  return words.some((word, index) => {
    const before = words[index - 1] ?? '';
    if (TAKES_VALUE.test(before) || /^[a-df-zA-Z]*[oOkU]$/.test(before) || word.includes(',') || word.includes('='))
      return ENVIRONMENT_KEYWORD.test(word);
    // With "x" or "a", these are options without a dash for ps of Linux: "ps -auxe".
    if (word.startsWith('-')) return !word.startsWith('--') && (word.includes('E') || /^-(?=.*x)(?=.*e)/.test(word));
    return /^[A-Za-z]*e[A-Za-z]*$/.test(word);
  });
}
