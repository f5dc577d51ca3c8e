import { t } from '../../base/l10n';
import type { RequestFacts } from './requestFacts';
import { programName } from '../programs/programNames';

interface Danger {
  readonly programs: RegExp;
  /** Each must match one of the words after the program, or the joined words. */
  readonly words?: readonly RegExp[];
  readonly why: string;
}

const SHORT = (letters: string): RegExp => new RegExp(`(?:^| )-[a-z]*[${letters}][a-z]*(?= |$)`, 'i');

/** Irreversible actions, a few words each. A warning for the user, never a decision: other commands may be as bad. */
const DANGERS: readonly Danger[] = [
  {
    programs: /^rm$/,
    words: [/(?:^| )(?:-[a-z]*r[a-z]*|--recursive|-recurse)(?= |$)/i],
    why: t('deletes folders and their contents'),
  },
  { programs: /^(?:rm|unlink|shred|srm|wipe|del|erase)$/, why: t('permanently deletes files') },
  { programs: /^(?:rd|rmdir)$/, words: [/(?:^| )\/s(?= |$)/i], why: t('deletes folders and their contents') },
  { programs: /^(?:remove-item|ri|rni|rd|rmdir|clear-content|clc|clear-item)$/, why: t('deletes files or folders') },
  {
    programs:
      /^(?:dd|mkfs(?:\.\w+)?|fdisk|parted|sfdisk|gdisk|wipefs|mkswap|diskpart|format|format-volume|clear-disk|initialize-disk|remove-partition|diskutil|hdiutil|newfs\w*)$/,
    why: t('can overwrite an entire disk'),
  },
  { programs: /^truncate$/, why: t('truncates files') },
  {
    programs: /^find$/,
    words: [/(?:^| )-(?:delete|exec|execdir|ok|okdir)(?= |$)/],
    why: t('deletes matching files or runs a command on each'),
  },
  {
    programs: /^git$/,
    words: [/(?:^| )reset .*--hard|(?:^| )reset --hard/],
    why: t('discards uncommitted changes'),
  },
  { programs: /^git$/, words: [/(?:^| )clean(?= |$)/, SHORT('fdx')], why: t('deletes untracked files') },
  {
    programs: /^git$/,
    words: [
      /(?:^| )push(?= |$)/,
      /(?:^| )(?:--force(?:-with-lease|-if-includes)?(?:=\S*)?|-[a-z]*f[a-z]*|--delete|-d|--mirror|--prune|\+\S+|:\S+)(?= |$)/,
    ],
    why: t('overwrites or deletes remote branches or tags'),
  },
  {
    programs: /^git$/,
    words: [/(?:^| )(?:checkout|restore)(?= |$)/, /(?:^| )(?:--|\.|-f|--force|--worktree|-W)(?= |$)/],
    why: t('discards uncommitted changes'),
  },
  { programs: /^git$/, words: [/(?:^| )(?:restore)(?= |$)/], why: t('discards uncommitted changes') },
  {
    programs: /^git$/,
    words: [/(?:^| )branch(?= |$)/, /(?:^| )(?:-D|--delete|-[a-z]*D[a-z]*)(?= |$)/],
    why: t('deletes a branch'),
  },
  { programs: /^git$/, words: [/(?:^| )stash (?:drop|clear)(?= |$)/], why: t('deletes stashed changes') },
  {
    programs: /^git$/,
    words: [
      /(?:^| )(?:filter-branch|filter-repo|rebase|gc|prune|update-ref|reflog (?:expire|delete))(?= |$)|(?:^| )commit .*--amend/,
    ],
    why: t('rewrites Git history'),
  },
  {
    programs: /^(?:chmod|chown|chgrp|chattr|setfacl|icacls|takeown)$/,
    words: [/(?:^| )(?:-[a-z]*R[a-z]*|--recursive|\/t)(?= |$)/i],
    why: t('changes permissions or ownership of everything in a folder'),
  },
  {
    programs: /^(?:kubectl|oc|helm)$/,
    words: [/(?:^| )(?:delete|uninstall|drain|replace|rollback)(?= |$)/],
    why: t('deletes or replaces cluster resources'),
  },
  {
    programs: /^(?:terraform|tofu|pulumi|cdk|terragrunt)$/,
    words: [/(?:^| )(?:destroy|apply|up|state rm)(?= |$)/],
    why: t('changes or destroys infrastructure'),
  },
  {
    programs: /^(?:docker|podman)$/,
    words: [/(?:^| )(?:rm|rmi|prune|kill|down)(?= |$)/],
    why: t('deletes containers, images or volumes'),
  },
  {
    programs: /^(?:aws|gcloud|az|doctl|heroku|fly|flyctl|vercel|netlify|wrangler|gh)$/,
    words: [/(?:^| )(?:\S*delete\S*|\S*destroy\S*|\S*remove\S*|rm|rb|terminate-\S*|purge)(?= |$)/],
    why: t('deletes remote resources'),
  },
  {
    programs: /^(?:mysql|mariadb|psql|sqlite3|sqlcmd|mongosh?|redis-cli|clickhouse-client)$/,
    words: [/\b(?:drop|truncate|delete\s+from|flushall|flushdb|dropDatabase)\b/i],
    why: t('deletes data from a database'),
  },
  { programs: /^(?:dropdb|dropuser)$/, why: t('deletes a database or database user') },
  {
    programs: /^(?:npm|pnpm|yarn|cargo|gem|twine|poetry|uv|dotnet|vsce|ovsx)$/,
    words: [/(?:^| )(?:publish|unpublish|yank|push|upload|deprecate)(?= |$)/],
    why: t('publishes, changes or removes a package in a registry'),
  },
  {
    programs: /^(?:shutdown|reboot|halt|poweroff|init|stop-computer|restart-computer)$/,
    why: t('shuts down or restarts the machine'),
  },
  { programs: /^(?:kill|pkill|killall|taskkill|stop-process|spps)$/, why: t('ends other programs') },
  { programs: /^(?:crontab)$/, words: [SHORT('r')], why: t('deletes scheduled jobs') },
  { programs: /^(?:sudo|doas|su|runas|pkexec)$/, why: t('runs with another user’s permissions') },
  {
    programs: /^(?:sh|bash|zsh|dash|python3?|node|perl|ruby|iex|invoke-expression)$/,
    words: [/^$/],
    why: t('runs the output of another command'),
  },
];

/** Why the effect of these commands cannot be undone, if known. */
export function destructiveReason({ inner, redirects }: Pick<RequestFacts, 'inner' | 'redirects'>): string | undefined {
  for (const argv of inner) {
    const why = DANGERS.find((danger) => isDanger(danger, argv))?.why;
    if (why !== undefined) return `${programName(argv[0] ?? '')} ${why}`;
  }
  const truncated = redirects.find(({ truncates }) => truncates);
  return truncated && t('> replaces the content of {0}', truncated.target);
}

function isDanger({ programs, words = [] }: Danger, argv: readonly string[]): boolean {
  if (!programs.test(programName(argv[0] ?? ''))) return false;
  const text = argv.slice(1).join(' ');
  return words.every((word) => word.test(text));
}
