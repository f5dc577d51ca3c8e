import { t } from '../../../base/l10n';
import type { Effect, IrreversibleUse, Program } from '../program';
import { informs } from '../program';
import { CHANGES_MACHINE, ENDS_OTHERS } from './commonEffects';

const ENDS_PROGRAMS: Effect = {
  why: 'controlsPrograms',
  unless: informs(String.raw`-l$|-L$|(?:list|ls|status|logs)(?: |$)`),
};
const OVERWRITES_DISK: IrreversibleUse = { why: t('can overwrite an entire disk') };
const STOPS_MACHINE: IrreversibleUse = { why: t('shuts down or restarts the machine') };
const EDITOR_EXTENSIONS: Effect = {
  why: 'changesMachine',
  words: /(?:^| )--(?:install-|uninstall-|update-|add-mcp|extension)|^(?:tunnel|serve-web|agent|ext)\b/,
};
const CHANGES_SERVICES: Effect = {
  why: 'changesMachine',
  unless: informs(String.raw`(?:status|is-active|is-enabled|list\S*|show|read|query|get\S*)(?: |$)`),
};
const INSPECTS_PROCESSES: Effect = { why: 'showsProcesses', unless: informs() };
const STARTS_AGENT: Effect = { why: 'startsAgent', unless: informs(String.raw`doctor$|mcp list$`) };
const CONTROLS_WINDOWS: Effect = {
  why: 'controlsPrograms',
  unless: informs(String.raw`(?:list|tree|introspect|status)(?: |$)`),
};
const SHOWS_SECRETS: Effect = { why: 'showsSecrets', unless: informs() };
const USES_KEYS: Effect = {
  why: 'showsSecrets',
  unless: informs(String.raw`--(?:verify|fingerprint|list-(?:public-)?keys)(?: |$)|-k$`),
};

/** Programs that change this machine, control other programs, or show what belongs to the user. */
export const MACHINE: readonly Program[] = [
  {
    names: 'kill',
    anyOptions: true,
    operands: 'text',
    effects: [ENDS_PROGRAMS],
    irreversible: [ENDS_OTHERS],
  },
  { names: 'dd', runs: ['hidden'], isNoScript: true, irreversible: [OVERWRITES_DISK] },
  { names: 'setx', setsVariables: true, effects: [CHANGES_MACHINE] },
  {
    names:
      'fdisk parted sfdisk gdisk wipefs mkswap diskpart format format-volume clear-disk initialize-disk remove-partition diskutil hdiutil',
    irreversible: [OVERWRITES_DISK],
  },
  { names: 'mkfs', irreversible: [OVERWRITES_DISK], matches: /^(?:mkfs\.|newfs)\w*$/ },
  { names: 'shutdown reboot halt poweroff init', effects: [ENDS_PROGRAMS], irreversible: [STOPS_MACHINE] },
  { names: 'stop-computer restart-computer', irreversible: [STOPS_MACHINE] },
  { names: 'pkill killall taskkill', effects: [ENDS_PROGRAMS], irreversible: [ENDS_OTHERS] },
  { names: 'stop-process', irreversible: [ENDS_OTHERS] },
  { names: 'code code-insiders codium cursor zed', folders: 'checks', effects: [EDITOR_EXTENSIONS] },
  { names: 'gdbserver lldb-server', servesFiles: true },
  { names: 'code-server', servesFiles: true, effects: [EDITOR_EXTENSIONS] },
  { names: 'vscodium windsurf kiro trae', effects: [EDITOR_EXTENSIONS] },
  {
    names: 'systemctl launchctl',
    effects: [
      { why: 'showsProcesses', words: /(?:^| )(?:show|show-environment|getenv|print|export|procinfo)(?= |$)/ },
      CHANGES_SERVICES,
    ],
  },
  {
    names:
      'pargs pwdx gcore jinfo jcmd jmap jstack jhsdb dtrace dtruss bpftrace bpftool sysdig uftrace pystack gops scanmem gameconqueror reptyr criu jattach async-profiler sample spindump heap leaks vmmap malloc_history procexp dotnet-dump dotnet-trace dotnet-counters dotnet-gcdump dotnet-stack dotnet-monitor execsnoop opensnoop truss ktrace py-spy rbspy austin procdump tcpdump tshark dumpcap ngrep',
    effects: [INSPECTS_PROCESSES],
  },
  { names: 'frida', effects: [INSPECTS_PROCESSES], matches: /^(?:frida-\w+|pyrasite\S*|arthas\S*|as-?prof\w*)$/ },
  { names: 'procstat', effects: [{ why: 'showsProcesses', words: /(?:^| )(?:-\w*e\w*|p?env(?:ironment)?)(?= |$)/ }] },
  { names: 'procs', effects: [{ why: 'showsProcesses', words: /(?:^| )(?:-i|--insert)[ =]?\S*env/i }] },
  {
    names:
      'service loginctl rc-service sv defaults sysctl hostnamectl timedatectl localectl nmcli networksetup scutil pmset update-alternatives sc reg net netsh bcdedit wevtutil dism',
    effects: [CHANGES_SERVICES],
  },
  {
    names:
      'modprobe insmod rmmod ufw iptables ip6tables nft firewall-cmd useradd userdel usermod groupadd adduser deluser passwd chpasswd chsh visudo csrutil spctl dscl tccutil nvram swapon swapoff update-ca-certificates certbot mkcert assoc subst mklink vssadmin powercfg',
    effects: [CHANGES_MACHINE],
  },
  { names: 'killall5 skill xkill fuser renice telinit logoff pm2 forever', effects: [ENDS_PROGRAMS] },
  {
    names:
      'claude claude-code codex gemini gemini-cli qwen qwen-code opencode opencode-ai cursor-agent aider goose amp crush cline droid auggie kilocode plandex cn',
    effects: [STARTS_AGENT],
  },
  { names: 'copilot', publishes: true, effects: [STARTS_AGENT] },
  { names: 'xdotool ydotool wtype dotool xte cliclick dbus-send busctl gdbus', effects: [CONTROLS_WINDOWS] },
  { names: 'qdbus', effects: [CONTROLS_WINDOWS], matches: /^qdbus\d$/ },
  {
    names:
      'keepassxc-cli kpcli age-keygen rage rage-keygen ansible-vault git-secret git-crypt transcrypt berglas summon credstash chezmoi saml2aws pass gopass op bw rbw lpass vault keyring secret-tool kwallet-query ssh-add ssh-keygen keytool age sops chamber aws-vault doppler infisical cmdkey vaultcmd kinit',
    effects: [SHOWS_SECRETS],
  },
  { names: 'security', effects: [SHOWS_SECRETS], matches: /^(?:blackbox_|docker-credential-|git-credential-)\S+$/ },
  { names: 'gpg', hasVersions: true, effects: [USES_KEYS] },
  { names: 'gpgsm', effects: [USES_KEYS] },
  {
    names:
      'pbpaste xclip xsel wl-paste copyq cliphist gcb get-clipboard screencapture scrot grim maim gnome-screenshot spectacle flameshot xwd import wf-recorder arecord parecord parec pw-record fswebcam imagesnap xinput',
    effects: [{ why: 'showsSecrets' }],
  },
  {
    names: 'dotenvx dotenv-vault teller',
    effects: [{ why: 'showsSecrets', unless: informs(String.raw`run |encrypt(?: |$)`) }],
  },
  { names: 'tcl', hasVersions: true },
];
