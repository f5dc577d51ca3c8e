import type { Facts } from './facts';
import { programName } from './programs';

interface Danger {
  /** Names of programs. */
  readonly programs: RegExp;
  /** Each must match one of the words after the program, or the words as one text. */
  readonly words?: readonly RegExp[];
  readonly why: string;
}

const SHORT = (letters: string): RegExp => new RegExp(`(?:^| )-[a-z]*[${letters}][a-z]*(?= |$)`, 'i');

/** What cannot be taken back, in a few words each. A mark for the person, never a decision: what is not here may be as bad. */
const DANGERS: readonly Danger[] = [
  {
    programs: /^rm$/,
    words: [/(?:^| )(?:-[a-z]*r[a-z]*|--recursive|-recurse)(?= |$)/i],
    why: 'deletes folders with all that is in them',
  },
  { programs: /^(?:rm|unlink|shred|srm|wipe|del|erase)$/, why: 'deletes files for good' },
  { programs: /^(?:rd|rmdir)$/, words: [/(?:^| )\/s(?= |$)/i], why: 'deletes folders with all that is in them' },
  { programs: /^(?:remove-item|ri|rni|rd|rmdir|clear-content|clc|clear-item)$/, why: 'deletes files or folders' },
  {
    programs:
      /^(?:dd|mkfs(?:\.\w+)?|fdisk|parted|sfdisk|gdisk|wipefs|mkswap|diskpart|format|format-volume|clear-disk|initialize-disk|remove-partition|diskutil|hdiutil|newfs\w*)$/,
    why: 'can overwrite a whole disk',
  },
  { programs: /^truncate$/, why: 'cuts off the content of files' },
  {
    programs: /^find$/,
    words: [/(?:^| )-(?:delete|exec|execdir|ok|okdir)(?= |$)/],
    why: 'does something to every file it finds',
  },
  {
    programs: /^git$/,
    words: [/(?:^| )reset .*--hard|(?:^| )reset --hard/],
    why: 'throws away changes that are not committed',
  },
  { programs: /^git$/, words: [/(?:^| )clean(?= |$)/, SHORT('fdx')], why: 'deletes files that git does not know' },
  {
    programs: /^git$/,
    words: [
      /(?:^| )push(?= |$)/,
      /(?:^| )(?:--force(?:-with-lease|-if-includes)?(?:=\S*)?|-[a-z]*f[a-z]*|--delete|-d|--mirror|--prune|\+\S+|:\S+)(?= |$)/,
    ],
    why: 'overwrites or deletes what others see',
  },
  {
    programs: /^git$/,
    words: [/(?:^| )(?:checkout|restore)(?= |$)/, /(?:^| )(?:--|\.|-f|--force|--worktree|-W)(?= |$)/],
    why: 'throws away changes that are not committed',
  },
  { programs: /^git$/, words: [/(?:^| )(?:restore)(?= |$)/], why: 'throws away changes that are not committed' },
  {
    programs: /^git$/,
    words: [/(?:^| )branch(?= |$)/, /(?:^| )(?:-D|--delete|-[a-z]*D[a-z]*)(?= |$)/],
    why: 'deletes a branch',
  },
  { programs: /^git$/, words: [/(?:^| )stash (?:drop|clear)(?= |$)/], why: 'deletes stashed changes' },
  {
    programs: /^git$/,
    words: [
      /(?:^| )(?:filter-branch|filter-repo|rebase|gc|prune|update-ref|reflog (?:expire|delete))(?= |$)|(?:^| )commit .*--amend/,
    ],
    why: 'rewrites the history',
  },
  {
    programs: /^(?:chmod|chown|chgrp|chattr|setfacl|icacls|takeown)$/,
    words: [/(?:^| )(?:-[a-z]*R[a-z]*|--recursive|\/t)(?= |$)/i],
    why: 'changes the rights of everything in a folder',
  },
  {
    programs: /^(?:kubectl|oc|helm)$/,
    words: [/(?:^| )(?:delete|uninstall|drain|replace|rollback)(?= |$)/],
    why: 'deletes or replaces what runs in a cluster',
  },
  {
    programs: /^(?:terraform|tofu|pulumi|cdk|terragrunt)$/,
    words: [/(?:^| )(?:destroy|apply|up|state rm)(?= |$)/],
    why: 'changes or destroys infrastructure',
  },
  {
    programs: /^(?:docker|podman)$/,
    words: [/(?:^| )(?:rm|rmi|prune|kill|down)(?= |$)/],
    why: 'deletes containers, images or volumes',
  },
  {
    programs: /^(?:aws|gcloud|az|doctl|heroku|fly|flyctl|vercel|netlify|wrangler|gh)$/,
    words: [/(?:^| )(?:\S*delete\S*|\S*destroy\S*|\S*remove\S*|rm|rb|terminate-\S*|purge)(?= |$)/],
    why: 'deletes something that is not on this machine',
  },
  {
    programs: /^(?:mysql|mariadb|psql|sqlite3|sqlcmd|mongosh?|redis-cli|clickhouse-client)$/,
    words: [/\b(?:drop|truncate|delete\s+from|flushall|flushdb|dropDatabase)\b/i],
    why: 'deletes data from a database',
  },
  { programs: /^(?:dropdb|dropuser)$/, why: 'deletes a database' },
  {
    programs: /^(?:npm|pnpm|yarn|cargo|gem|twine|poetry|uv|dotnet|vsce|ovsx)$/,
    words: [/(?:^| )(?:publish|unpublish|yank|push|upload|deprecate)(?= |$)/],
    why: 'publishes for everybody',
  },
  {
    programs: /^(?:shutdown|reboot|halt|poweroff|init|stop-computer|restart-computer)$/,
    why: 'shuts the machine down',
  },
  { programs: /^(?:kill|pkill|killall|taskkill|stop-process)$/, why: 'ends other programs' },
  { programs: /^(?:crontab)$/, words: [SHORT('r')], why: 'deletes scheduled commands' },
  { programs: /^(?:sudo|doas|su|runas|pkexec)$/, why: 'runs with the rights of another user' },
  {
    programs: /^(?:sh|bash|zsh|dash|python3?|node|perl|ruby|iex|invoke-expression)$/,
    words: [/^$/],
    why: 'runs what another command gives it',
  },
];

/** Why what these commands do cannot be undone; undefined when nothing is known against them. */
export function destructiveReason({ inner, redirects }: Pick<Facts, 'inner' | 'redirects'>): string | undefined {
  for (const argv of inner) {
    const why = DANGERS.find((danger) => isDanger(danger, argv))?.why;
    if (why !== undefined) return `${programName(argv[0] ?? '')} ${why}`;
  }
  const truncated = redirects.find(({ truncates }) => truncates);
  return truncated && `> replaces the content of ${truncated.target}`;
}

function isDanger({ programs, words = [] }: Danger, [program = '', ...rest]: readonly string[]): boolean {
  const text = rest.join(' ');
  return programs.test(programName(program)) && words.every((word) => word.test(text));
}
