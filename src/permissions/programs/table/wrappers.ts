import { t } from '../../../base/l10n';
import type { IrreversibleUse, Program } from '../program';
import { CHANGES_MACHINE, CHANGES_OWNERS, ENDS_OTHERS, RUNS_INPUT } from './commonEffects';

const RUNS_AS_OTHER: IrreversibleUse = { why: t('runs with another user’s permissions') };

/** Programs that run something which their words do not show: with other rights, later, in another shell or environment. */
export const WRAPPERS: readonly Program[] = [
  {
    names: 'sudo',
    runs: ['hidden'],
    startsCommand: true,
    isNoScript: true,
    setsVariables: true,
    irreversible: [RUNS_AS_OTHER],
  },
  { names: 'doas', runs: ['hidden'], startsCommand: true, setsVariables: true, irreversible: [RUNS_AS_OTHER] },
  { names: 'su', runs: ['hidden'], startsCommand: true, irreversible: [RUNS_AS_OTHER] },
  // They run a command with other rights or in another environment.
  {
    names:
      'runuser gosu watch entr nsenter strace ltrace valgrind perf flock taskset prlimit systemd-run at batch fakeroot proot bwrap firejail chrt numactl setarch linux32 linux64 i386 setpriv capsh run-parts newgrp runcon cgexec cpulimit start-stop-daemon torsocks tsocks proxychains proxychains4 tini dumb-init xvfb-run dbus-run-session dbus-launch systemd-inhibit faketime rlwrap ssh-agent xinit gnome-terminal xterm hyperfine mispipe pee ifne vidir vipe zargs rargs',
    runs: ['hidden'],
  },
  // Task runners and watchers.
  { names: 'watchexec watchman npm-run-all run-s run-p foreman honcho script expect screen tmux', runs: ['hidden'] },
  // Shells whose options Parley does not know.
  {
    names: 'mksh csh tcsh toybox rbash rzsh rksh lksh yash posh oksh loksh ksh93 elvish nu xonsh git-shell',
    runs: ['hidden'],
  },
  // Commands of shells that change how the rest of a line is read, or run code later.
  {
    names:
      'trap alias unalias hash enable shopt coproc let read mapfile readarray getopts compgen complete compopt bind fc history emulate zmodload autoload setopt unsetopt integer float zcompile noglob nocorrect vared sched unset',
    runs: ['hidden'],
  },
  // Other machines.
  { names: 'sftp ftp telnet netcat', runs: ['hidden'] },
  // Editors and pagers, which run commands.
  { names: 'ed ex vi nano more most man', runs: ['hidden'] },
  // Languages whose code stands in a word.
  {
    names:
      'tclsh wish yq m4 dc gnuplot maxima gp goawk original-awk frawk bioawk mlr fzf sk bb duckdb osqueryi csi fsi matlab',
    runs: ['hidden'],
  },
  // They change files by patterns or code, or the file system.
  { names: 'mkfifo mknod mount umount install prename perl-rename file-rename', runs: ['hidden'] },
  // They open a file with the program for it.
  { names: 'start explorer xdg-open gio osascript shortcuts automator', runs: ['hidden'] },
  // Programs of Windows that run others.
  {
    names:
      'wsl rundll32 regsvr32 mshta wscript cscript msiexec certutil bitsadmin conhost pcalua wmic schtasks msbuild cmstp installutil regasm regsvcs odbcconf forfiles ieexec xwizard presentationhost msdt hh psexec winrm gsudo',
    runs: ['hidden'],
  },
  // Commands of PowerShell and their short names.
  {
    names:
      'invoke-command icm invoke-item ii start-process saps start-job new-object add-type set-alias new-alias sal import-module icim iwmi swmi rwmi ipmo ipsn sajb sasv spsv nsn etsn trcm ihy rp sp clp ndr nal nmo nv sbp asnp',
    runs: ['hidden'],
  },
  { names: 'pkexec runas', runs: ['hidden'], irreversible: [RUNS_AS_OTHER] },
  { names: 'xargs ssh', runs: ['hidden'], startsCommand: true, isNoScript: true },
  { names: 'parallel chroot unshare cmd', runs: ['hidden'], startsCommand: true },
  { names: 'gdb lldb vim nvim emacs irb', hasVersions: true, runs: ['hidden'] },
  {
    names: 'crontab',
    runs: ['hidden'],
    irreversible: [{ words: [/(?:^| )-[a-z]*[r][a-z]*(?= |$)/i], why: t('deletes scheduled jobs') }],
  },
  { names: 'fish', runs: ['hidden'], takesLine: true },
  { names: 'busybox', hasVersions: true, runs: ['hidden'], startsCommand: true },
  { names: 'powershell', runs: ['hidden'], startsCommand: true, agentShell: 'powershell' },
  { names: 'pwsh', runs: ['hidden', 'script'], startsCommand: true, agentShell: 'powershell' },
  {
    names:
      'scp rsync nc ncat socat nodemon concurrently cross-env-shell env-cmd conc start-server-and-test start-test onchange',
    runs: ['hidden'],
    isNoScript: true,
  },
  { names: 'eval', runs: ['hidden'], isNoScript: true, wordsAreLine: true },
  { names: 'open', runs: ['hidden'], folders: 'checks' },
  { names: 'invoke-expression iex', runs: ['hidden'], startsCommand: true, irreversible: [RUNS_INPUT] },
  { names: 'less', runs: ['hidden'], isCommonPackage: true },
  { names: 'chown chgrp setfacl', runs: ['hidden'], irreversible: [CHANGES_OWNERS] },
  { names: 'export declare typeset local readonly', runs: ['hidden'], setsVariables: true },
  { names: 'ipython', hasVersions: true, runs: ['hidden'], isCommonPackage: true },
  { names: 'sg', runs: ['hidden'], folders: 'printsHere' },
  { names: 'rename', runs: ['hidden'], moves: true },
  { names: 'ftype', runs: ['hidden'], effects: [CHANGES_MACHINE] },
  { names: 'spps', runs: ['hidden'], irreversible: [ENDS_OTHERS] },
];
