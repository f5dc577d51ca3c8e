import { t } from '../../base/l10n';
import { knownUse } from './knownUse';
import { packageCommand } from './packageCommand';
import type { OutsideEffect, Program } from './program';
import { programName, programOf, toolName } from './programNames';
import { programNamed, runs } from './programTable';

/** Effects of commands outside the files of the workspace: on other machines, this machine, other programs, or with credentials. */
export const EFFECT_TEXTS: Readonly<Record<OutsideEffect, string>> = {
  publishes: t('publishes or deploys'),
  serves: t('serves files to other programs or machines'),
  sends: t('acts on another machine or service'),
  downloads: t('may download a program and run it'),
  changesMachine: t('changes programs or settings on this machine'),
  controlsPrograms: t('ends or controls other programs'),
  startsAgent: t('starts an agent, which has rights of its own'),
  showsProcesses: t('can show the environment or memory of other processes'),
  showsSecrets: t('can reveal credentials'),
};

/** The program and its effect outside the workspace, in a few words; undefined if no such effect is known. */
export function findOutsideEffect(argv: readonly string[]): string | undefined {
  const name = toolName(argv[0] ?? '');
  const program = programNamed(name);
  if (program?.effectOf) {
    const effect = program.effectOf(argv);
    return effect && [name, ...(effect.words === undefined ? [] : [effect.words]), EFFECT_TEXTS[effect.why]].join(' ');
  }
  const text = argv.slice(1).join(' ');
  const effect = program?.effects?.find(
    ({ words, unless }) => words?.test(text) !== false && unless?.test(text) !== true,
  );
  if (effect) return `${name} ${EFFECT_TEXTS[effect.why]}`;
  const byWords = effectByWords(argv);
  return byWords && `${byWords.label} ${EFFECT_TEXTS[byWords.why]}`;
}

/*
 * Effects that the words of a command name, whatever the program: publishing, serving files, showing credentials. Lists of programs miss
 * the next one; such tools all use the same few verbs.
 */

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
/** Programs for publishing, by a part of their name. */
const PUBLISHER =
  /(?:^|-)(?:publish|deploy|upload|release|pastebin)(?:er)?-|-(?:publish|deploy|upload|release|pastebin)(?:er)?$/;
/** Uses of these that only read or work locally. */
const LOCAL_USE =
  /^(?:(?:-?-?(?:version|help)|-[Vh])$|(?:test|lint|check|build|init|run|list|ls|status|validate|diff --\S+)(?: |$))|(?:^| )--(?:version|help)$/;

/** Servers of the files of a folder, by name: also packages (`npx x`) and modules (`python -m x`). */
const FILE_SERVER =
  /^[\w-]*?(?:https?|ssh|telnet|rsync|nfs|smb|git|svn)d$|^[\w-]*?(?:https?|files?|static|web|webdav|ftps?|sftp|live|simple-?http|wsgi|xmlrpc)[-_.]?(?:files?[-_.]?)?(?:serve|servers?)(?:[-_.]\w+)?$|^\w*httpd2?$/;
const SHOWS_SERVER =
  /^(?:-?-?(?:version|help)|-[Vvth]|(?:validate|fmt|adapt|list-modules|build-info|environ)(?: .*)?)$|(?:^| )--(?:version|help)$/;
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
  /** What Parley knows about `tool`. */
  readonly program: Program | undefined;
  /** Everything behind the program. */
  readonly words: readonly string[];
}

/** The name of the program and its effect; undefined if its words name none. */
function effectByWords(argv: readonly string[]): { label: string; why: OutsideEffect } | undefined {
  // The words of these are data (files, texts, patterns), or a command that is judged on its own.
  if (knownUse(argv) !== undefined || runs(programOf(argv), 'command', 'shellLine')) return undefined;
  const label = programName(argv[0] ?? '').replace(/(?<=.)@[^]*$/, '');
  const tool = toolName(argv[0] ?? '').replace(/(?<=.)@[^]*$/, '');
  const read: Words = { tool, program: programNamed(tool), words: ownWords(argv, label) };
  const why = namesOtherMachine(argv)
    ? 'sends'
    : publishes(read)
      ? 'publishes'
      : serves(read) || opensToOthers(argv)
        ? 'serves'
        : showsSecrets(read)
          ? 'showsSecrets'
          : attaches(read)
            ? 'showsProcesses'
            : undefined;
  return why && { label, why };
}

/** The words that the program itself reads; those of a command behind it are judged as that command. */
function ownWords(argv: readonly string[], name: string): readonly string[] {
  const program = programNamed(name);
  return (program && runs(program, 'packages') ? packageCommand(argv, program).own : argv).slice(1);
}

const FILTER_VERB = /^(?:test|tests|t|tst|bench|check|clippy|vet|ls|list|why|explain|tree|doc)$/;

/** Whether the operands are files and filters, as those of linters and of `cargo test`. */
function readsFilters({ program, words }: Words): boolean {
  if (program?.everyOperandIsTask) return false;
  if (runs(program, 'project') && !runs(program, 'packages')) return !runs(program, 'script');
  return FILTER_VERB.test(operandsOf(words)[0] ?? '');
}

function publishes(read: Words): boolean {
  const { tool, program, words } = read;
  // Options may stand in the value of a setting: `-o addopts="-q --pastebin=all"`.
  if (words.flatMap(withInnerOptions).some(isPublishingOption)) return true;
  if (program?.publishes || PUBLISHER.test(tool)) return !LOCAL_USE.test(words.join(' '));
  if (program?.runsRecipes || readsFilters(read)) return false;
  const operands = operandsOf(words);
  const { publishVerbs, localVerb } = program ?? {};
  if (publishVerbs) return operands.some((word) => publishVerbs.test(word));
  const [first = ''] = operands;
  if (first !== '' && first === localVerb) return false;
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

function withInnerOptions(word: string): readonly string[] {
  const at = word.indexOf('=-');
  return at < 0 ? [word] : [word, ...word.slice(at + 1).split(/\s+/)];
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

function serves({ tool, program, words }: Words): boolean {
  if (program?.servesFiles || FILE_SERVER.test(tool)) return !SHOWS_SERVER.test(words.join(' '));
  if (hasOwnWords(program)) return false;
  if (words.some((word) => /^--serve(?:-?dir)?(?:=|$)/.test(word))) return true;
  const operands = operandsOf(words);
  if (program?.serveVerbs) return program.serveVerbs.test(operands[0] ?? '');
  if (/^(?:share|tunnel|funnel|expose)$/.test(operands[0] ?? '')) return true;
  return operands.slice(0, 2).some(isServerVerb) || (operands[0] === 'serve' && !program?.servesOwnPages);
}

/** `mytool http-server`. */
function isServerVerb(word: string): boolean {
  return /^(?:run|launch)-server$/.test(word) || FILE_SERVER.test(word) || programNamed(word)?.servesFiles === true;
}

/** Whether the words are those of the project: scripts, recipes, filters of tests. */
function hasOwnWords(program: Program | undefined): boolean {
  return program?.runsRecipes === true || runs(program, 'packages', 'project');
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

function showsSecrets({ program, words }: Words): boolean {
  if (hasOwnWords(program)) return false;
  const text = words.join(' ');
  return SHOWS_SECRET.test(text) || SHOWS_CONFIG.test(text);
}
