import { t } from '../../base/l10n';
import { gitCommand, GIT_ITSELF } from '../programs/gitCommands';
import { readWords } from '../programs/optionTable';
import { writingPrograms } from '../programs/writingPrograms';
import { effectByWords, PUBLISHES, SENDS, SHOWS, SHOWS_OTHERS, showsEnvironment } from './effectWords';
import { toolName } from '../programs/programNames';

/** Effects of commands beyond workspace files: on other machines, this machine, other programs, or with credentials. */

interface Reach {
  /** Program names without versions. */
  readonly programs: RegExp;
  /** Must match the joined words after the program. */
  readonly words?: RegExp;
  /** Read-only uses: must not match. */
  readonly unless?: RegExp;
  readonly why: string;
}

const CHANGES = t('changes programs or settings on this machine');
const CONTROLS = t('ends or controls other programs');
const STARTS_AGENT = t('starts an agent, which has rights of its own');
/** Why a package runner needs approval. */
export const DOWNLOADS = t('may download a program and run it');

const VERSION_OR_HELP = String.raw`-?-?(?:version|help)$|-[Vh]$`;

const REACHES: readonly Reach[] = [
  { programs: /^(?:gh|glab|hub|tea)$/, words: /\bauth\b/, unless: /^auth status$/, why: SHOWS },
  {
    programs: /^(?:gh|glab|hub|tea)$/,
    unless: new RegExp(
      `^(?:${VERSION_OR_HELP}|(?:auth )?status$|(?:pr|mr|issue|run|ci|release|repo|workflow|label|milestone) (?:view|list|ls|status|diff|checks|watch)(?: |$))`,
    ),
    why: SENDS,
  },
  {
    programs:
      /^(?:aws|gcloud|az|doctl|heroku|fly|flyctl|vercel|netlify|wrangler|firebase|supabase|railway|oci|ibmcloud|linode-cli|hcloud|eb|sam|serverless|sls|amplify|terraform|tofu|pulumi|cdk|terragrunt|ansible|ansible-playbook|salt|salt-call|salt-ssh|puppet|chef|chef-client|helm|helmfile|tilt|dokku|kaggle|wandb|azcopy|skopeo|crane|regctl|oras|oc|argocd|flux|nomad|consul|packer|skaffold)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP}|(?:fmt|validate|lint|template|build|synth)(?: |$))`),
    why: SENDS,
  },
  {
    programs:
      /^(?:rclone|s3cmd|s5cmd|gsutil|mc|ngrok|cloudflared|tailscale|localtunnel|mail|mailx|mutt|telegram-send|ntfy|tftp|ghstack|spr|dput|jf|jfrog|osc|okteto|telepresence|mirrord|werf|octo|kpt|sendmail|msmtp|swaks|https?|httpie|xhs?|curlie|wscat|websocat|grpcurl|lftp|sshpass|autossh|mosh|rsh|rlogin|twine|vsce|ovsx|psql|mysql|mariadb|mysqldump|pg_dump|pg_restore|mongosh?|redis-cli|clickhouse-client|sqlcmd|cqlsh|createdb|dropdb|createuser|dropuser|irm|iwr|nslookup|dig)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP}|(?:package|check)(?: |$))`),
    why: SENDS,
  },
  // Version control other than git.
  {
    programs: /^(?:hg|chg|jj|fossil|darcs|pijul|bzr|brz|p4)$/,
    words: /^(?:-\S+ (?:\S+ )??)*?(?:git )?(?:push|submit|email|serve|sync)(?= |$)/,
    why: SENDS,
  },
  { programs: /^sl$/, words: /^(?:-\S+ )*(?:pr )?(?:push|submit)(?= |$)/, why: SENDS },
  { programs: /^gt$/, words: /^(?:-\S+ )*(?:s|ss|submit|sync|merge|land|get)(?= |$)/, why: SENDS },
  { programs: /^(?:svn|cvs)$/, words: /^(?:-\S+ (?:\S+ )??)*?(?:commit|ci|import|lock|unlock)(?= |$)/, why: SENDS },
  { programs: /^lerna$/, words: /^(?:-\S+ )*version(?= |$)/, why: PUBLISHES },
  { programs: /^web-ext$/, words: /^sign(?= |$)/, why: PUBLISHES },
  { programs: /^electron-builder$/, words: /(?:^| )-p (?!never)/, why: PUBLISHES },
  { programs: /^cypress$/, words: /(?:^| )--record(?= |$)/, why: PUBLISHES },
  {
    programs: /^mvn[wd]?$/,
    words:
      /(?:^| )(?:jib|docker|fabric8|spring-boot|wagon|scm|site):\S*(?:build-image|build|push|upload|checkin|deploy)(?= |$)/,
    why: PUBLISHES,
  },
  { programs: /^gradlew?$/, words: /(?:^| )(?:\S+:)?jib(?= |$)/, why: PUBLISHES },
  { programs: /^python$/, words: /(?:^|\/)setup\.py (?:\S+ )*(?:upload|register)(?= |$)/, why: PUBLISHES },
  { programs: /^xcrun$/, words: /^(?:altool|notarytool)\b/, why: PUBLISHES },
  { programs: /^openssl$/, words: /^s_(?:client|server|time)\b/, why: SENDS },
  { programs: /^mvn[wd]?$/, words: /(?:^| )(?:deploy|release:\S+)(?= |$)/, why: SENDS },
  {
    programs:
      /^(?:apt|apt-get|apt-key|aptitude|add-apt-repository|dpkg|yum|dnf|rpm|zypper|pacman|yay|paru|apk|emerge|brew|port|snap|flatpak|choco|winget|scoop|nix-env|pkg|pkg_add|pkg_delete|softwareupdate|xbps-install|opkg)$/,
    unless: new RegExp(
      `^(?:${VERSION_OR_HELP}|(?:list|search|show|info|policy|depends|outdated|deps|leaves|--prefix|-[lLs]|-q[ail]*|-Q[ils]*|-Ss)(?: |$))`,
    ),
    why: CHANGES,
  },
  {
    programs:
      /^(?:gem|pip|pipx|conda|mamba|micromamba|rustup|luarocks|cpanm?|nvm|fnm|n|pyenv|rbenv|nodenv|volta|sdk|ghcup|opam|pear|pecl|corepack|krew)$/,
    words:
      /(?:^| )(?:install|uninstall|remove|update|upgrade|download|wheel|inject|ensurepath|default|override|link|global|use|set|enable|disable|prepare|create|push|yank|owner|signin|signout|toolchain|component|target|self|upgrade-all|pin)(?= |$)/,
    why: CHANGES,
  },
  { programs: /^(?:cpan|cpanm|n|pipx)$/, unless: new RegExp(`^(?:${VERSION_OR_HELP}|list(?: |$))`), why: CHANGES },
  { programs: /^(?:cargo|go|cabal|stack)$/, words: /^(?:\S*\s)??(?:install|binstall|uninstall)(?= |$)/, why: CHANGES },
  { programs: /^go$/, words: /^(?:env .*-[wu]|telemetry)/, why: CHANGES },
  { programs: /^uv$/, words: /^(?:-\S+ )*auth(?= |$)/, why: SHOWS },
  {
    programs: /^uv$/,
    words:
      /^(?:-\S+ )*(?:tool (?!list|dir)|self |publish|python (?!list|find)|pip (?!list|show|freeze|check|tree|compile))/,
    why: CHANGES,
  },
  { programs: /^deno$/, words: /(?:^| )(?:install|uninstall|upgrade|deploy|jupyter)(?= |$)/, why: CHANGES },
  { programs: /^(?:deno|go|bun)$/, words: /^(?:run|x) (?:\S+ )*?(?:https?:|npm:|jsr:|[\w./-]+@)/, why: DOWNLOADS },
  { programs: /^uv$/, words: /^(?:-\S+ )*run (?:-\S+ (?:[^\s:]+ )??)*https?:/i, why: DOWNLOADS },
  { programs: /^(?:deno|gem|pixi)$/, words: /^(?:x|exec)(?= |$)/, why: DOWNLOADS },
  { programs: /^dotnet$/, words: /^tool (?:exec|execute|install|update)(?= |$)/, why: DOWNLOADS },
  { programs: /^(?:cs|coursier)$/, words: /^(?:launch|install|bootstrap|setup)(?= |$)/, why: DOWNLOADS },
  { programs: /^(?:dx|dnx|jbang|nlx|pnx)$/, unless: new RegExp(`^(?:${VERSION_OR_HELP})`), why: DOWNLOADS },
  { programs: /^deno$/, words: /^(?!task )(?:\S+ )*?(?:https?:|npm:|jsr:)/, why: DOWNLOADS },
  // Plugins by their full name, except those of Maven itself.
  {
    programs: /^(?:mvn|mvnw|mvnd)$/,
    words: /(?:^| )(?!org\.(?:apache\.maven|codehaus\.mojo)[.:])[A-Za-z][\w.-]*:[\w.-]+:[\w.:-]+/,
    why: DOWNLOADS,
  },
  // They install hooks of git.
  {
    programs: /^(?:pre-commit|lefthook|husky|simple-git-hooks|overcommit)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP}|(?:run|validate-\\S+|sample-config|dump|check-install)(?: |$))`),
    why: CHANGES,
  },
  {
    programs: /^(?:code|code-insiders|code-server|codium|vscodium|cursor|windsurf|kiro|trae|zed)$/,
    words: /(?:^| )--(?:install-|uninstall-|update-|add-mcp|extension)|^(?:tunnel|serve-web|agent|ext)\b/,
    why: CHANGES,
  },
  // Before the row that lets these show their state.
  {
    programs: /^(?:systemctl|launchctl)$/,
    words: /(?:^| )(?:show|show-environment|getenv|print|export|procinfo)(?= |$)/,
    why: SHOWS_OTHERS,
  },
  {
    programs:
      /^(?:pargs|pwdx|gcore|jinfo|jcmd|jmap|jstack|jhsdb|dtrace|dtruss|bpftrace|bpftool|sysdig|uftrace|frida(?:-\w+)?|pyrasite\S*|pystack|gops|scanmem|gameconqueror|reptyr|criu|jattach|arthas\S*|as-?prof\w*|async-profiler|sample|spindump|heap|leaks|vmmap|malloc_history|procexp|dotnet-(?:dump|trace|counters|gcdump|stack|monitor)|execsnoop|opensnoop|truss|ktrace|py-spy|rbspy|austin|procdump|tcpdump|tshark|dumpcap|ngrep)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP})`),
    why: SHOWS_OTHERS,
  },
  { programs: /^dotnet$/, words: /^(?:dump|trace|counters|gcdump|stack)(?= |$)/, why: SHOWS_OTHERS },
  { programs: /^node$/, words: /^inspect (?:-p|[\w.:[\]-]+:\d+$)/, why: SHOWS_OTHERS },
  { programs: /^procstat$/, words: /(?:^| )(?:-\w*e\w*|p?env(?:ironment)?)(?= |$)/, why: SHOWS_OTHERS },
  { programs: /^procs$/, words: /(?:^| )(?:-i|--insert)[ =]?\S*env/i, why: SHOWS_OTHERS },
  {
    programs:
      /^(?:systemctl|service|launchctl|loginctl|rc-service|sv|defaults|sysctl|hostnamectl|timedatectl|localectl|nmcli|networksetup|scutil|pmset|update-alternatives|sc|reg|net|netsh|bcdedit|wevtutil|dism)$/,
    unless: new RegExp(
      `^(?:${VERSION_OR_HELP}|(?:status|is-active|is-enabled|list\\S*|show|read|query|get\\S*)(?: |$))`,
    ),
    why: CHANGES,
  },
  {
    programs:
      /^(?:modprobe|insmod|rmmod|ufw|iptables|ip6tables|nft|firewall-cmd|useradd|userdel|usermod|groupadd|adduser|deluser|passwd|chpasswd|chsh|visudo|csrutil|spctl|dscl|tccutil|nvram|swapon|swapoff|update-ca-certificates|certbot|mkcert|setx|assoc|ftype|subst|mklink|vssadmin|powercfg)$/,
    why: CHANGES,
  },
  {
    programs:
      /^(?:kill|pkill|killall|killall5|skill|xkill|fuser|renice|taskkill|reboot|shutdown|halt|poweroff|init|telinit|logoff|pm2|forever)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP}|-l$|-L$|(?:list|ls|status|logs)(?: |$))`),
    why: CONTROLS,
  },
  {
    programs:
      /^(?:claude|claude-code|codex|gemini|gemini-cli|qwen|qwen-code|opencode|opencode-ai|copilot|cursor-agent|aider|goose|amp|crush|cline|droid|auggie|kilocode|plandex|cn)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP}|doctor$|mcp list$)`),
    why: STARTS_AGENT,
  },
  // Keys and clicks for other windows, and calls of other programs.
  {
    programs: /^(?:xdotool|ydotool|wtype|dotool|xte|cliclick|dbus-send|busctl|gdbus|qdbus\d?)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP}|(?:list|tree|introspect|status)(?: |$))`),
    why: CONTROLS,
  },
  {
    programs: /^(?:keepassxc-cli|kpcli|age-keygen|rage|rage-keygen)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP})`),
    why: SHOWS,
  },
  {
    programs: /^(?:smbclient|rpcclient|ldap\w+|kafkacat|kcat|mosquitto_(?:pub|sub|rr)|nats|adb|host)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP}|devices$)`),
    why: SENDS,
  },
  { programs: /^getent$/, words: /^(?:-\S+ )*a?hosts\w* \S/, why: SENDS },
  { programs: /^(?:ffmpeg|convert|magick)$/, words: /(?<!(?:^| )-i) https?:\S+$/i, why: SENDS },
  {
    programs: /^ffmpeg$/,
    words: /(?:^| )-f (?:x11grab|avfoundation|gdigrab|dshow|v4l2|alsa|pulse|kmsgrab|fbdev)(?= |$)/,
    why: SHOWS,
  },
  {
    programs: /^(?:gpg|gpgsm)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP}|--(?:verify|fingerprint|list-(?:public-)?keys)(?: |$)|-k$)`),
    why: SHOWS,
  },
  {
    programs:
      /^(?:ansible-vault|git-secret|git-crypt|transcrypt|blackbox_\S+|berglas|summon|credstash|chezmoi|saml2aws|security|pass|gopass|op|bw|rbw|lpass|vault|keyring|secret-tool|kwallet-query|ssh-add|ssh-keygen|keytool|age|sops|chamber|aws-vault|doppler|infisical|cmdkey|vaultcmd|kinit|docker-credential-\S+|git-credential-\S+)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP})`),
    why: SHOWS,
  },
  // The clipboard, keys, the screen, microphone and camera, and files with credentials.
  {
    programs:
      /^(?:pbpaste|xclip|xsel|wl-paste|copyq|cliphist|gcb|get-clipboard|screencapture|scrot|grim|maim|gnome-screenshot|spectacle|flameshot|xwd|import|wf-recorder|arecord|parecord|parec|pw-record|fswebcam|imagesnap|xinput)$/,
    why: SHOWS,
  },
  {
    programs: /^(?:dotenvx|dotenv-vault|teller)$/,
    unless: new RegExp(`^(?:${VERSION_OR_HELP}|run |encrypt(?: |$))`),
    why: SHOWS,
  },
  {
    programs: /^\w*dotenv(?:-cli|-flow)?$/,
    words:
      /^(?:(?!-- )-\S+ (?:[^\s-]\S* )??)*(?:list|get|set|unset|keys|export|-[a-z]*p\S*|--(?:print|export)\S*)(?= |$)/,
    why: SHOWS,
  },
  { programs: /^shdotenv$/, words: /^(?:$|-)/, why: SHOWS },
  { programs: /^just$/, words: /(?:^| )(?:-e|--(?:evaluate|edit|variables))(?= |$)/, why: SHOWS },
  { programs: /^rbenv$/, words: /^vars$/, why: SHOWS },
  { programs: /^svn$/, words: /^(?:-\S+ )*auth(?= |$)/, why: SHOWS },
  { programs: /^dotnet$/, words: /^(?:user-secrets|nuget list source)\b/, why: SHOWS },
  // Their addresses may hold a password.
  { programs: /^(?:hg|chg)$/, words: /(?:^| )(?:paths|config|showconfig)(?= |$)/, why: SHOWS },
  { programs: /^(?:jj|fossil|sl|got)$/, words: /(?:^| )remotes?(?: (?:list|ls|url|show|-v))?$/, why: SHOWS },
  {
    programs: /^(?:pip|conda|mamba|micromamba)$/,
    words: /(?:^| )config (?:\S+ )*?(?:list|get|debug|--show\S*|--get)(?= |$)/,
    why: SHOWS,
  },
  { programs: /^gem$/, words: /^sources(?: -l| --list)?$/, why: SHOWS },
  { programs: /^mvn[wd]?$/, words: /effective-settings/, why: SHOWS },
  { programs: /^gradlew?$/, words: /(?:^| )(?:\S+:)?properties(?= |$)/, why: SHOWS },
];

/** The program and its effect beyond the workspace, in a few words; undefined if no such effect is known. */
export function beyondReason(argv: readonly string[]): string | undefined {
  const name = toolName(argv[0] ?? '');
  if (name === 'git') return gitEffect(argv);
  if (name === 'ps') return showsEnvironment(argv) ? `ps ${SHOWS_OTHERS}` : undefined;
  if (name === 'curl') return curlSends(argv) ? `curl ${SENDS}` : readsMetadata(argv) ? `curl ${SHOWS}` : undefined;
  const text = argv.slice(1).join(' ');
  const reach = REACHES.find(
    ({ programs, words, unless }) => programs.test(name) && words?.test(text) !== false && unless?.test(text) !== true,
  );
  return reach ? `${name} ${reach.why}` : effectByWords(argv);
}

/** Verbs of git that send something; `annex` and the like are programs beside it. */
const GIT_SENDS =
  /^(?:push|send-pack|send-email|http-push|svn dcommit|p4 submit|(?:lfs|subtree|annex|stash-box) push|annex (?:sync|copy))$/;
/** Verbs of git that print the addresses of other repositories, or all settings: with passwords. */
const GIT_SHOWS =
  /^(?:remote(?: (?:show|get-url))?|config (?:list|get|-l|--list|--get-regexp)|var -l|ls-remote --get-url|ls-remote|credential .*|credential-\S+ get)$/;

function gitEffect(argv: readonly string[]): string | undefined {
  const { at } = gitCommand(argv, readWords(argv, GIT_ITSELF).operands[0]);
  const [verb = '', ...rest] = at < 0 ? [] : argv.slice(at);
  const first = rest.find((word) => !word.startsWith('-')) ?? '';
  for (const use of [verb, `${verb} ${first}`, `${verb} ${rest[0] ?? ''}`]) {
    if (GIT_SENDS.test(use)) return `git ${use} ${SENDS}`;
  }
  // "git remote" alone lists names.
  const shown = [`${verb} ${first}`.trim(), ...rest.map((word) => `${verb} ${word}`)].find((use) =>
    GIT_SHOWS.test(use),
  );
  const isNames = verb === 'remote' && rest.length === 0;
  return shown === undefined || isNames ? undefined : `git ${shown} ${SHOWS}`;
}

const LOCAL = /^(?:https?:\/\/)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)(?::\d*)?(?:[/?#]|$)/i;
/** Options of curl that send data. */
const DATA_OPTIONS = ['d', 'data', 'data-raw', 'data-urlencode', 'json', 'T'];

/** GET requests only read; a server on this machine may get anything. */
function curlSends(argv: readonly string[]): boolean {
  const table = writingPrograms.get('curl');
  if (!table) return true;
  const { given, operands, values } = readWords(argv, table);
  const urls = values.filter(({ indices: [at = 0] }) => /^--url(?:=|$)/.test(argv[at] ?? '')).map(({ text }) => text);
  const all = [...operands.map((index) => argv[index] ?? ''), ...urls];
  const isMethod = values.some(
    ({ indices: [at = 0], text }) =>
      /^-[a-zA-Z]*X|^--request(?:=|$)/.test(argv[at] ?? '') && !/^(?:GET|HEAD|OPTIONS)$/i.test(text),
  );
  const isFile = values.some(
    ({ indices: [at = 0], text }) =>
      (/^-[a-zA-Z]*H|^--header(?:=|$)/.test(argv[at] ?? '') && text.startsWith('@')) ||
      (/^-[a-zA-Z]*b/.test(argv[at] ?? '') && !text.includes('=')),
  );
  // Other schemes carry data in the address: "gopher://", "dict://", "telnet://".
  if (all.some((url) => /^(?!https?:|ftps?:|file:)[a-z][a-z\d+.-]*:\/\//i.test(url))) return true;
  const isSent = isMethod || isFile || DATA_OPTIONS.some((option) => given.has(option));
  return isSent && !all.every((url) => LOCAL.test(url));
}

/** The service of a cloud that gives its machines their credentials. */
function readsMetadata([, ...words]: readonly string[]): boolean {
  return words.some((word) =>
    /(?:^|[/=@])(?:169\.254\.\d|metadata\.google\.|\[fd00:ec2:|100\.100\.100\.200)/i.test(word),
  );
}
