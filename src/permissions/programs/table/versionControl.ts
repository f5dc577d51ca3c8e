import { t } from '../../../base/l10n';
import { GIT_COMMANDS, GIT_OPTIONS, gitEffect, remoteHelpers } from '../git';
import type { Effect, Program } from '../program';
import { informs } from '../program';
import { DELETES_REMOTE } from './commonEffects';

const SHOWS_REMOTES: Effect = { why: 'showsSecrets', words: /(?:^| )remotes?(?: (?:list|ls|url|show|-v))?$/ };
const SHOWS_LOGIN: Effect = { why: 'showsSecrets', words: /\bauth\b/, unless: /^auth status$/ };
const CHANGES_FORGE: Effect = {
  why: 'sends',
  unless: informs(
    String.raw`(?:auth )?status$|(?:pr|mr|issue|run|ci|release|repo|workflow|label|milestone) (?:view|list|ls|status|diff|checks|watch)(?: |$)`,
  ),
};
const SENDS_COMMITS: Effect = {
  why: 'sends',
  words: /^(?:-\S+ (?:(?!-\S)\S+ )??)*?(?:git )?(?:push|submit|email|serve|sync)(?= |$)/,
};
const SHOWS_PATHS: Effect = { why: 'showsSecrets', words: /(?:^| )(?:paths|config|showconfig)(?= |$)/ };
const SENDS_REVISION: Effect = {
  why: 'sends',
  words: /^(?:-\S+ (?:(?!-\S)\S+ )??)*?(?:commit|ci|import|lock|unlock)(?= |$)/,
};

/** Version control, and the services for it. */
export const VERSION_CONTROL: readonly Program[] = [
  {
    names: 'sl',
    operands: 'read',
    options: '-LPen',
    changesFolder: true,
    isVersionControl: true,
    effects: [{ why: 'sends', words: /^(?:-\S+ )*(?:pr )?(?:push|submit)(?= |$)/ }, SHOWS_REMOTES],
  },
  {
    names: 'git',
    hasVersions: true,
    isNoScript: true,
    ...GIT_OPTIONS,
    subcommands: GIT_COMMANDS,
    riskyWords: remoteHelpers,
    effectOf: gitEffect,
    irreversible: [
      { words: [/(?:^| )reset .*--hard|(?:^| )reset --hard/], why: t('discards uncommitted changes') },
      { words: [/(?:^| )clean(?= |$)/, /(?:^| )-[a-z]*[fdx][a-z]*(?= |$)/i], why: t('deletes untracked files') },
      {
        words: [
          /(?:^| )push(?= |$)/,
          /(?:^| )(?:--force(?:-with-lease|-if-includes)?(?:=\S*)?|-[a-z]*f[a-z]*|--delete|-d|--mirror|--prune|\+\S+|:\S+)(?= |$)/,
        ],
        why: t('overwrites or deletes remote branches or tags'),
      },
      {
        words: [/(?:^| )(?:checkout|restore)(?= |$)/, /(?:^| )(?:--|\.|-f|--force|--worktree|-W)(?= |$)/],
        why: t('discards uncommitted changes'),
      },
      { words: [/(?:^| )(?:restore)(?= |$)/], why: t('discards uncommitted changes') },
      { words: [/(?:^| )branch(?= |$)/, /(?:^| )(?:-D|--delete|-[a-z]*D[a-z]*)(?= |$)/], why: t('deletes a branch') },
      { words: [/(?:^| )stash (?:drop|clear)(?= |$)/], why: t('deletes stashed changes') },
      {
        words: [
          /(?:^| )(?:filter-branch|filter-repo|rebase|gc|prune|update-ref|reflog (?:expire|delete))(?= |$)|(?:^| )commit .*--amend/,
        ],
        why: t('rewrites Git history'),
      },
    ],
  },
  { names: 'gh', everyWord: true, effects: [SHOWS_LOGIN, CHANGES_FORGE], irreversible: [DELETES_REMOTE] },
  { names: 'glab hub', everyWord: true, effects: [SHOWS_LOGIN, CHANGES_FORGE] },
  {
    names: 'hg',
    changesFilesVerb:
      /^(?:update|up|checkout|co|goto|revert|merge|rebase|strip|purge|clean|graft|backout|import|unshelve|pull|clone)$/,
    isVersionControl: true,
    abbreviates: {
      verbs: 'push email serve paths config showconfig archive bundle update rebase strip import',
      except: 'st co',
    },
    effects: [SENDS_COMMITS, SHOWS_PATHS],
  },
  {
    names: 'chg',
    changesFilesVerb:
      /^(?:update|up|checkout|co|goto|revert|merge|rebase|strip|purge|clean|graft|backout|import|unshelve|pull|clone)$/,
    isVersionControl: true,
    abbreviates: { verbs: 'push email serve paths config showconfig archive bundle update rebase strip import' },
    effects: [SENDS_COMMITS, SHOWS_PATHS],
  },
  {
    names: 'jj',
    changesFilesVerb: /^(?:edit|abandon|restore|undo|rebase)$/,
    isVersionControl: true,
    effects: [SENDS_COMMITS, SHOWS_REMOTES],
  },
  {
    names: 'svn',
    changesFilesVerb: /^(?:update|up|switch|sw|merge|revert|checkout|co|export|patch)$/,
    isVersionControl: true,
    effects: [SENDS_REVISION, { why: 'showsSecrets', words: /^(?:-\S+ )*auth(?= |$)/ }],
  },
  { names: 'fossil', isVersionControl: true, effects: [SENDS_COMMITS, SHOWS_REMOTES] },
  { names: 'darcs pijul bzr brz p4', isVersionControl: true, effects: [SENDS_COMMITS] },
  { names: 'cvs', changesFilesVerb: /^(?:update|up|checkout|co)$/, isVersionControl: true, effects: [SENDS_REVISION] },
  { names: 'got', isVersionControl: true, effects: [SHOWS_REMOTES] },
  {
    names: 'gt',
    isVersionControl: true,
    effects: [{ why: 'sends', words: /^(?:-\S+ )*(?:s|ss|submit|sync|merge|land|get)(?= |$)/ }],
  },
  { names: 'arc', isVersionControl: true, publishes: true },
  { names: 'git-filter-repo', everyWord: true },
  { names: 'tea', effects: [SHOWS_LOGIN, CHANGES_FORGE] },
];
