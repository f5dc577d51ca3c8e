import type { ProgramOptions } from './optionTable';
import { optionTable } from './optionTable';

/** Options of git itself, before its command. `-C` and the like select another repository, whose settings run programs. */
const GIT = optionTable('git [stops]: -P C/ no-pager no-optional-locks literal-pathspecs no-replace-objects');

const SHOWS =
  '-pusiEzwbRaWqcmrt M? C? B? stat? shortstat numstat name-only name-status oneline graph decorate? no-decorate all patch no-patch patch-with-stat raw n: U: S: G: L< max-count: skip: since: until: after: before: author: committer: grep: all-match invert-grep regexp-ignore-case extended-regexp fixed-strings follow no-merges merges first-parent reverse format: pretty? abbrev-commit no-abbrev-commit abbrev? date: relative-date color? no-color color-words? word-diff? word-diff-regex: ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol cached staged merge-base no-ext-diff no-textconv diff-filter: find-renames? find-copies? no-renames summary compact-summary dirstat? cumulative check minimal patience histogram diff-algorithm: relative? no-relative full-index binary topo-order date-order author-date-order left-right left-only right-only cherry-pick cherry-mark cherry branches? tags? remotes? no-prefix src-prefix: dst-prefix: exit-code quiet inter-hunk-context: unified: function-context full-history simplify-merges ancestry-path? pickaxe-regex pickaxe-all source boundary no-commit-id root walk-reflogs notes? no-notes mailmap no-mailmap min-parents: max-parents: reflog reverse exclude: remove-empty column? ws-error-highlight: submodule? ignore-submodules? text indent-heuristic';

const COMMANDS = optionTable(`
log,show,diff,whatchanged,reflog,diff-tree,diff-index,diff-files: # ${SHOWS}
status: -sbvz short branch verbose porcelain? long untracked-files? ignored? u? ignore-submodules? show-stash ahead-behind no-ahead-behind renames no-renames find-renames? column? no-column null
blame,annotate: -bcflnsptewM L: C? S: abbrev? date: since: ignore-rev: ignore-revs-file< porcelain line-porcelain incremental root show-stats show-name show-number show-email minimal reverse first-parent
shortlog: -nsec numbered summary email committer group: format: since: until: all no-merges
ls-files: -cdmoiuktzvfs x: X< cached deleted modified others ignored stage unmerged killed exclude: exclude-from< exclude-standard error-unmatch full-name recurse-submodules abbrev? deduplicate format:
ls-tree: -drtlz name-only name-status long full-name full-tree abbrev? object-only format:
rev-parse: -q verify quiet short? show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository abbrev-ref? symbolic symbolic-full-name all branches? tags? remotes? show-object-format? default:
rev-list: -n n: max-count: skip: all count reverse no-merges merges first-parent since: until: author: grep: oneline pretty? format: objects left-right topo-order date-order branches? tags? remotes? parents children boundary
describe: tags all always long dirty? broken? abbrev: match: exclude: first-parent contains candidates: exact-match
grep: # -inlLcvwEFPGhHoaIqrpWz e: A: B: C: m: ignore-case line-number column files-with-matches name-only files-without-match count invert-match word-regexp extended-regexp fixed-strings perl-regexp basic-regexp only-matching text quiet after-context: before-context: context: max-count: max-depth: show-function function-context break heading cached untracked* no-exclude-standard* recursive color? no-color full-name null threads: and or not all-match
name-rev: name-only always tags refs: undefined no-undefined all
merge-base: -a all is-ancestor fork-point octopus independent
for-each-ref: count: sort: format: points-at: merged? no-merged? contains? no-contains? color? ignore-case
cat-file: -tpse batch-check? allow-unknown-type
count-objects: -vH verbose human-readable
version: build-options
cherry: -v abbrev?
show-ref: -dqs heads tags head verify hash? abbrev? dereference quiet branches
check-ignore: -qvnz quiet verbose non-matching no-index stdin
ls-remote: -htqR heads tags branches quiet refs exit-code symref sort: get-url
add,stage: -nvfAuN dry-run verbose force all update intent-to-add refresh ignore-errors ignore-missing renormalize chmod: no-all
commit: -aqvsnoie m: F< C: c: t< message: all quiet verbose signoff no-signoff no-verify only include amend no-edit allow-empty allow-empty-message author: date: file< reuse-message: fixup: squash: dry-run short porcelain no-status cleanup: reset-author no-post-rewrite no-gpg-sign
fetch: -apqvtnfkm4 6 j: all prune quiet verbose tags no-tags depth: deepen: shallow-since: shallow-exclude: unshallow force append dry-run multiple jobs: progress no-progress keep atomic set-upstream ipv4 ipv6 prune-tags no-auto-maintenance recurse-submodules? no-recurse-submodules porcelain refmap:
push: -uqvnfd46 o: set-upstream quiet verbose dry-run force force-with-lease? force-if-includes tags follow-tags all branches delete mirror prune atomic no-atomic progress no-progress no-verify push-option: porcelain thin no-thin ipv4 ipv6
branch: -arvdDmMcClfqi u: list all remotes verbose delete move copy force show-current contains? no-contains? merged? no-merged? sort: format: points-at: column? color? no-color set-upstream-to: unset-upstream track? no-track quiet ignore-case abbrev? no-abbrev create-reflog
tag: -ladfi n? m: F< list annotate delete force message: file< sort: contains? no-contains? merged? no-merged? points-at: format: column? color? create-reflog cleanup: ignore-case
checkout [changes]: -qftdlm b: B: quiet force track? no-track detach orphan: ours theirs progress no-progress merge guess no-guess
switch [changes]: -qftdm c: C: create: force-create: quiet force track? no-track detach discard-changes orphan: merge progress no-progress guess no-guess
restore [changes]: -qWS s: source: staged worktree quiet ours theirs progress no-progress ignore-unmerged
reset [changes]: -qN hard soft mixed merge keep quiet intent-to-add
merge [changes]: -qvn m: F< no-ff ff ff-only squash no-squash abort continue quit no-commit commit no-edit quiet verbose stat no-stat signoff no-verify allow-unrelated-histories progress no-progress
pull [changes]: -qvrpt rebase? no-rebase ff ff-only no-ff squash quiet verbose prune tags no-tags all depth: autostash no-autostash no-edit commit no-commit progress no-progress
cherry-pick,revert [changes]: -nx m: mainline: no-commit no-edit abort continue quit skip signoff ff allow-empty keep-redundant-commits
remote [changes]: -v verbose
stash [changes]: -ukqaSp patch no-patch stat? shortstat numstat name-only name-status m: message: include-untracked keep-index no-keep-index quiet all index staged pathspec-from-file<
rm [changes]: -rfqn cached force quiet dry-run ignore-unmatch
mv [changes]: -fknv force dry-run verbose
config [changes text]: get local global show-scope type:
clean [changes]: -dfnqxX e: force dry-run quiet exclude:
apply [changes]: -vRz check stat numstat summary verbose reverse
symbolic-ref [changes]: -q short quiet
am,rebase,clone,init,worktree,submodule,bisect,notes,sparse-checkout,read-tree,checkout-index,update-index,update-ref,gc,prune,repack,archive,bundle,format-patch,fast-import,filter-branch,filter-repo,subtree,svn,p4,lfs,hook,maintenance,replace,rerere,mergetool,difftool,send-email,credential,daemon,instaweb,gui,citool,request-pull,range-diff [changes]:
`);

interface GitCommand {
  /** Index of the command's name; negative without a command. */
  readonly at: number;
  /** Options of git itself. */
  readonly own: ProgramOptions;
  /** Undefined for an unknown command, which may be an alias. */
  readonly options?: ProgramOptions;
}

/** @param firstOperand of the words, read with {@link GitCommand.own} */
export function gitCommand(argv: readonly string[], firstOperand: number | undefined): GitCommand {
  const options = COMMANDS.get(argv[firstOperand ?? -1] ?? '');
  return { at: firstOperand ?? -1, own: GIT_ITSELF, ...(options && { options }) };
}

export const GIT_ITSELF: ProgramOptions = GIT.get('git') ?? { options: new Map(), traits: new Set() };
