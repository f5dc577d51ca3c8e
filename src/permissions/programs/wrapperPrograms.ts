import { optionTable } from './optionTable';

/** Programs that run the command after their own words, with options that do not change that command. */
export const wrapperPrograms = optionTable(`
env [stops]: -i0v u: C/ ignore-environment null debug unset: chdir/
timeout,gtimeout [stops]: -fpv k: s: kill-after: signal: foreground preserve-status verbose
nice [stops]: # n: adjustment:
nohup,command,builtin,chronic,unbuffer,caffeinate [stops]: -pi
exec [stops]: -cl a:
time [stops]: -pv portability verbose
stdbuf [stops]: i: o: e: input: output: error:
cross-env,ccache,sccache,distcc,shx [stops]:
arch [stops single]: x86_64 arm64 arm64e i386 32 64
setsid [stops]: -cfw ctty fork wait
ionice [stops]: -t c: n: class: classdata: ignore
`);

/** Shells; with `-c` the first word that is not an option is the command line, whatever options precede it. */
export const shells = optionTable('sh,bash,dash,zsh,ksh,ash [stops]: -ceuxvnflihBm o: norc noprofile posix login');

/**
 * Programs that run something not visible in their words: other users, machines, containers, languages, prepared input.
 */
export const UNREADABLE: ReadonlySet<string> = new Set(
  `sudo doas su runuser pkexec gosu runas xargs parallel script watch entr chroot unshare nsenter strace ltrace gdb lldb valgrind perf flock
  taskset prlimit systemd-run at batch crontab mksh fish csh tcsh busybox toybox cmd powershell pwsh wsl eval trap alias unalias hash enable shopt coproc
  let read mapfile readarray getopts compgen complete compopt bind fc history emulate zmodload autoload setopt unsetopt integer float zcompile noglob nocorrect vared sched
  ssh scp sftp rsync ftp telnet nc ncat netcat socat expect screen tmux osascript open start explorer rundll32 regsvr32 mshta wscript cscript msiexec
  certutil bitsadmin invoke-expression iex invoke-command icm invoke-item ii start-process saps start-job new-object add-type set-alias sal import-module
  ed ex vi vim nvim emacs nano less more most man tclsh docker docker-compose podman podman-compose nerdctl ctr crictl finch lima apptainer singularity distrobox toolbox multipass kind k3d shortcuts automator kubectl vagrant direnv mise asdf nix nix-shell nix-build guix
  yq dd mkfifo mknod mount umount install chown chgrp setfacl export declare typeset local readonly unset
  rbash rzsh rksh lksh yash posh oksh loksh ksh93 elvish nu xonsh git-shell ipython irb
  fakeroot proot bwrap firejail chrt numactl setarch linux32 linux64 i386 setpriv capsh run-parts sg newgrp runcon cgexec cpulimit start-stop-daemon
  torsocks tsocks proxychains proxychains4 tini dumb-init xvfb-run dbus-run-session dbus-launch systemd-inhibit faketime rlwrap ssh-agent xinit
  gnome-terminal xterm nodemon concurrently hyperfine cross-env-shell conhost pcalua wmic schtasks
  watchexec watchman npm-run-all run-s run-p env-cmd foreman honcho m4 dc gnuplot maxima gp conc start-server-and-test start-test onchange
  goawk original-awk frawk bioawk mlr fzf sk bb mispipe pee ifne vipe vidir zargs rargs
  rename prename perl-rename file-rename
  xdg-open gio wish duckdb osqueryi new-alias msbuild cmstp installutil regasm regsvcs odbcconf forfiles ieexec xwizard presentationhost msdt hh psexec winrm csi fsi ftype
  icim iwmi swmi rwmi ipmo ipsn sajb sasv spps spsv nsn etsn trcm ihy rp sp clp ndr nal nmo nv sbp asnp gsudo`.split(
    /\s+/,
  ),
);
