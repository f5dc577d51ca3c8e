import type { OptionSyntax, ReadWords } from './options';
import { readWords } from './options';
import type { OutsideEffect, Subcommand } from './program';

/** The commands of git, and what their words do. */

/** Options of git itself, before its command. `-C` and the like select another repository, whose settings run programs. */
export const GIT_OPTIONS: OptionSyntax = {
  options: '-P C/ no-pager no-optional-locks literal-pathspecs no-replace-objects',
  optionsFirst: true,
};

/** Options of commands that print commits and differences. */
const PRINTS =
  '# -pusiEzwbRaWqcmrt M? C? B? stat? shortstat numstat name-only name-status oneline graph decorate? no-decorate all patch no-patch patch-with-stat raw n: U: S: G: L< max-count: skip: since: until: after: before: author: committer: grep: all-match invert-grep regexp-ignore-case extended-regexp fixed-strings follow no-merges merges first-parent reverse format: pretty? abbrev-commit no-abbrev-commit abbrev? date: relative-date color? no-color color-words? word-diff? word-diff-regex: ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol cached staged merge-base no-ext-diff no-textconv diff-filter: find-renames? find-copies? no-renames summary compact-summary dirstat? cumulative check minimal patience histogram diff-algorithm: relative? no-relative full-index binary topo-order date-order author-date-order left-right left-only right-only cherry-pick cherry-mark cherry branches? tags? remotes? no-prefix src-prefix: dst-prefix: exit-code quiet inter-hunk-context: unified: function-context full-history simplify-merges ancestry-path? pickaxe-regex pickaxe-all source boundary no-commit-id root walk-reflogs notes? no-notes mailmap no-mailmap min-parents: max-parents: reflog reverse exclude: remove-empty column? ws-error-highlight: submodule? ignore-submodules? text indent-heuristic';

const OVERWRITES = 'f force discard-changes orphan';

/** Settings that hold no credentials. */
const HARMLESS_SETTING =
  /^(?:user|core|init|branch|push|pull|color|diff|merge|rebase|commit|format|i18n|log|rerere|status|tag|alias)\.[\w.-]+$/i;

export const GIT_COMMANDS: readonly Subcommand[] = [
  { names: 'log show whatchanged diff-tree diff-index diff-files', options: PRINTS },
  { names: 'diff', comparesOperands: true, options: PRINTS },
  { names: 'reflog', changesWith: /^(?:expire|delete|drop)$/, options: PRINTS },
  {
    names: 'status',
    options:
      '-sbvz short branch verbose porcelain? long untracked-files? ignored? u? ignore-submodules? show-stash ahead-behind no-ahead-behind renames no-renames find-renames? column? no-column null',
  },
  {
    names: 'blame annotate',
    options:
      '-bcflnsptewM L: C? S< abbrev? date: since: ignore-rev: ignore-revs-file< porcelain line-porcelain incremental root show-stats show-name show-number show-email minimal reverse first-parent',
  },
  { names: 'shortlog', options: '-nsec numbered summary email committer group: format: since: until: all no-merges' },
  {
    names: 'ls-files',
    options:
      '-cdmoiuktzvfs x: X< cached deleted modified others ignored stage unmerged killed exclude: exclude-from< exclude-standard error-unmatch full-name recurse-submodules abbrev? deduplicate format:',
  },
  { names: 'ls-tree', options: '-drtlz name-only name-status long full-name full-tree abbrev? object-only format:' },
  {
    names: 'rev-parse',
    options:
      '-q verify quiet short? show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository abbrev-ref? symbolic symbolic-full-name all branches? tags? remotes? show-object-format? default:',
  },
  {
    names: 'rev-list',
    options:
      '-n n: max-count: skip: all count reverse no-merges merges first-parent since: until: author: grep: oneline pretty? format: objects left-right topo-order date-order branches? tags? remotes? parents children boundary',
  },
  {
    names: 'describe',
    options:
      'tags all always long dirty? broken? abbrev: match: exclude: first-parent contains candidates: exact-match',
  },
  {
    names: 'grep',
    options:
      '# -inlLcvwEFPGhHoaIqrpWz e: A: B: C: m: ignore-case line-number column files-with-matches name-only files-without-match count invert-match word-regexp extended-regexp fixed-strings perl-regexp basic-regexp only-matching text quiet after-context: before-context: context: max-count: max-depth: show-function function-context break heading cached untracked* no-exclude-standard* recursive color? no-color full-name null threads: and or not all-match',
  },
  { names: 'name-rev', options: 'name-only always tags refs: undefined no-undefined all' },
  { names: 'merge-base', options: '-a all is-ancestor fork-point octopus independent' },
  {
    names: 'for-each-ref',
    options: 'count: sort: format: points-at: merged? no-merged? contains? no-contains? color? ignore-case',
  },
  { names: 'cat-file', options: '-tpse batch-check? allow-unknown-type' },
  { names: 'count-objects', options: '-vH verbose human-readable' },
  { names: 'version', options: 'build-options' },
  { names: 'cherry', options: '-v abbrev?' },
  { names: 'show-ref', options: '-dqs heads tags head verify hash? abbrev? dereference quiet branches' },
  { names: 'check-ignore', options: '-qvnz quiet verbose non-matching no-index stdin' },
  { names: 'ls-remote', options: '-htqR heads tags branches quiet refs exit-code symref sort: get-url' },
  {
    names: 'add stage',
    options:
      '-nvfAuN dry-run verbose force all update intent-to-add refresh ignore-errors ignore-missing renormalize chmod: no-all',
  },
  {
    names: 'commit',
    options:
      '-aqvsnoie m: F< C: c: t< message: all quiet verbose signoff no-signoff no-verify only include amend no-edit allow-empty allow-empty-message author: date: file< reuse-message: fixup: squash: dry-run short porcelain no-status cleanup: reset-author no-post-rewrite no-gpg-sign',
  },
  {
    names: 'fetch',
    options:
      '-apqvtnfkm4 6 j: all prune quiet verbose tags no-tags depth: deepen: shallow-since: shallow-exclude: unshallow force append dry-run multiple jobs: progress no-progress keep atomic set-upstream ipv4 ipv6 prune-tags no-auto-maintenance recurse-submodules? no-recurse-submodules porcelain refmap:',
  },
  {
    names: 'push',
    options:
      '-uqvnfd46 o: set-upstream quiet verbose dry-run force force-with-lease? force-if-includes tags follow-tags all branches delete mirror prune atomic no-atomic progress no-progress no-verify push-option: porcelain thin no-thin ipv4 ipv6',
  },
  {
    names: 'branch',
    options:
      '-arvdDmMcClfqi u: list all remotes verbose delete move copy force show-current contains? no-contains? merged? no-merged? sort: format: points-at: column? color? no-color set-upstream-to: unset-upstream track? no-track quiet ignore-case abbrev? no-abbrev create-reflog',
  },
  {
    names: 'tag',
    options:
      '-ladfi n? m: F< list annotate delete force message: file< sort: contains? no-contains? merged? no-merged? points-at: format: column? color? create-reflog cleanup: ignore-case',
  },
  {
    names: 'checkout',
    changesOtherFiles: true,
    onlyInforms: { options: 'b', without: OVERWRITES, operands: 0 },
    options:
      '-qftdlm b: B: quiet force track? no-track detach orphan: ours theirs progress no-progress merge guess no-guess',
  },
  {
    names: 'switch',
    changesOtherFiles: true,
    onlyInforms: { options: 'c create', without: OVERWRITES, operands: 0 },
    options:
      '-qftdm c: C: create: force-create: quiet force track? no-track detach discard-changes orphan: merge progress no-progress guess no-guess',
  },
  {
    names: 'restore',
    changesOtherFiles: true,
    onlyInforms: { options: 'staged S', without: 'worktree W' },
    options: '-qWS s: source: staged worktree quiet ours theirs progress no-progress ignore-unmerged',
  },
  { names: 'reset', changesOtherFiles: true, options: '-qN hard soft mixed merge keep quiet intent-to-add' },
  {
    names: 'merge',
    changesOtherFiles: true,
    options:
      '-qvn m: F< no-ff ff ff-only squash no-squash abort continue quit no-commit commit no-edit quiet verbose stat no-stat signoff no-verify allow-unrelated-histories progress no-progress',
  },
  {
    names: 'pull',
    changesOtherFiles: true,
    options:
      '-qvrpt rebase? no-rebase ff ff-only no-ff squash quiet verbose prune tags no-tags all depth: autostash no-autostash no-edit commit no-commit progress no-progress',
  },
  {
    names: 'cherry-pick revert',
    changesOtherFiles: true,
    options:
      '-nx m: mainline: no-commit no-edit abort continue quit skip signoff ff allow-empty keep-redundant-commits',
  },
  {
    names: 'remote',
    everyWord: true,
    changesOtherFiles: true,
    onlyInforms: { first: /^(?:show|get-url)?$/ },
    options: '-v verbose',
  },
  {
    names: 'stash',
    changesOtherFiles: true,
    onlyInforms: { first: /^(?:list|show)$/ },
    options:
      '-ukqaSp patch no-patch stat? shortstat numstat name-only name-status m: message: include-untracked keep-index no-keep-index quiet all index staged pathspec-from-file<',
  },
  { names: 'rm', changesOtherFiles: true, options: '-rfqn cached force quiet dry-run ignore-unmatch' },
  { names: 'mv', changesOtherFiles: true, options: '-fknv force dry-run verbose' },
  {
    names: 'config',
    everyWord: true,
    changesOtherFiles: true,
    operands: 'text',
    onlyInforms: { operands: 1, first: HARMLESS_SETTING },
    options: 'get local global show-scope type:',
  },
  {
    names: 'clean',
    changesOtherFiles: true,
    onlyInforms: { options: 'n dry-run' },
    options: '-dfnqxX e: force dry-run quiet exclude:',
  },
  {
    names: 'apply',
    everyWord: true,
    changesOtherFiles: true,
    onlyInforms: { options: 'check stat numstat summary' },
    options: '-vRz check stat numstat summary verbose reverse',
  },
  { names: 'symbolic-ref', changesOtherFiles: true, onlyInforms: { operands: 1 }, options: '-q short quiet' },
  {
    names:
      'sparse-checkout read-tree checkout-index update-ref gc prune repack format-patch subtree svn p4 lfs replace rerere gui citool request-pull range-diff',
    changesOtherFiles: true,
    options: '',
  },
  {
    names:
      'am rebase clone init bisect update-index archive fast-import filter-branch filter-repo hook maintenance mergetool difftool send-email credential daemon instaweb',
    everyWord: true,
    changesOtherFiles: true,
    options: '',
  },
  { names: 'worktree', everyWord: true, changesOtherFiles: true, onlyInforms: { first: /^list$/ }, options: '' },
  { names: 'submodule', everyWord: true, changesOtherFiles: true, onlyInforms: { first: /^status$/ }, options: '' },
  { names: 'notes', changesOtherFiles: true, onlyInforms: { first: /^(?:list|show)$/ }, options: '' },
  { names: 'bundle', changesOtherFiles: true, onlyInforms: { first: /^list-heads$/ }, options: '' },
  // Their options are not known.
  { names: 'upload-pack receive-pack upload-archive alias', everyWord: true },
];

/** `ext::sh -c …` is a program in place of a URL. */
export function remoteHelpers(argv: readonly string[], { operands }: ReadWords): readonly number[] {
  return operands.filter((index) => /^\w+::/.test(argv[index] ?? ''));
}

/** Verbs of git that send something; `annex` and the like are programs beside it. */
const SENDS =
  /^(?:push|send-pack|send-email|http-push|svn dcommit|p4 submit|(?:lfs|subtree|annex|stash-box) push|annex (?:sync|copy))$/;
/**
 * Verbs of git that print the addresses of other repositories, or all settings: with passwords; and those that print whatever tags name: the
 * content of any file.
 */
const SHOWS_SECRETS =
  /^(?:show --(?:all|branches|tags|remotes)\b.*|(?:for-each-ref|tag) .*%\(\*?raw\b.*|remote(?: (?:show|get-url))?|config (?:list|get|-l|--list|--get-regexp)|var -l|ls-remote --get-url|ls-remote|credential .*|credential-\S+ get)$/;

export function gitEffect(argv: readonly string[]): { words: string; why: OutsideEffect } | undefined {
  const [at] = readWords(argv, GIT_OPTIONS).operands;
  const [verb = '', ...rest] = at === undefined ? [] : argv.slice(at);
  const first = rest.find((word) => !word.startsWith('-')) ?? '';
  const sent = [verb, `${verb} ${first}`, `${verb} ${rest[0] ?? ''}`].find((use) => SENDS.test(use));
  if (sent !== undefined) return { words: sent, why: 'sends' };
  // "git remote" alone lists names.
  if (verb === 'remote' && rest.length === 0) return undefined;
  const shown = [`${verb} ${first}`.trim(), ...rest.map((word) => `${verb} ${word}`)].find((use) =>
    SHOWS_SECRETS.test(use),
  );
  return shown === undefined ? undefined : { words: shown, why: 'showsSecrets' };
}
