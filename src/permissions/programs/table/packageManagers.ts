import { t } from '../../../base/l10n';
import type { Effect, IrreversibleUse, PackageRunner, Program } from '../program';
import { informs } from '../program';
import { SENDS_ALWAYS } from './commonEffects';

const INSTALLS_PROGRAM: Effect = { why: 'changesMachine', words: /^(?:\S*\s)??(?:install|binstall|uninstall)(?= |$)/ };
const RUNS_ADDRESS: Effect = { why: 'downloads', words: /^(?:run|x) (?:\S+ )*?(?:https?:|npm:|jsr:|[\w./-]+@)/ };
const CHANGES_REGISTRY: IrreversibleUse = {
  words: [/(?:^| )(?:publish|unpublish|yank|push|upload|deprecate)(?= |$)/],
  why: t('publishes, changes or removes a package in a registry'),
};
const CHANGES_TOOLS: Effect = {
  why: 'changesMachine',
  words:
    /(?:^| )(?:install|uninstall|remove|update|upgrade|download|wheel|inject|ensurepath|default|override|link|global|use|set|enable|disable|prepare|create|push|yank|owner|signin|signout|toolchain|component|target|self|upgrade-all|pin)(?= |$)/,
};
const INSTALLS_ALWAYS: Effect = { why: 'changesMachine', unless: informs(String.raw`list(?: |$)`) };
const RUNS_PACKAGE: Effect = { why: 'downloads', words: /^(?:x|exec)(?= |$)/ };
const MAVEN_EFFECTS: readonly Effect[] = [
  {
    why: 'publishes',
    words:
      /(?:^| )(?:jib|docker|fabric8|spring-boot|wagon|scm|site):\S*(?:build-image|build|push|upload|checkin|deploy)(?= |$)/,
  },
  { why: 'sends', words: /(?:^| )(?:deploy|release:\S+)(?= |$)/ },
  // Plugins by their full name, except those of Maven itself.
  {
    why: 'downloads',
    words: /(?:^| )(?!org\.(?:apache\.maven|codehaus\.mojo)[.:])[A-Za-z][\w.-]*:[\w.-]+:[\w.:-]+/,
  },
  { why: 'showsSecrets', words: /effective-settings/ },
];
const MAVEN_WRAPPER = /^(?:.*:)?(?:maven-)?wrapper(?:-plugin)?(?::[\w.-]+)?:wrapper$/;
const UPGRADES = /^(?:-\w*[ui]\w*|--(?:upgrade|interactive)(?:=.*)?)$/;
const SHOWS_SOURCES: Effect = {
  why: 'showsSecrets',
  words: /(?:^| )config (?:\S+ )*?(?:list|get|debug|--show\S*|--get)(?= |$)/,
};

const CARGO_VERBS =
  /^(?:|add|b|bench|build|c|check|clean|clippy|config|d|doc|fetch|fix|fmt|generate-lockfile|help|info|init|install|locate-project|login|logout|metadata|miri|new|owner|package|pkgid|publish|r|remove|report|rm|run|rustc|rustdoc|search|t|test|tree|uninstall|update|vendor|verify-project|version|yank)$/;
const ANY_PROGRAM: PackageRunner = { optionsBeforeVerb: true, runsAnyProgram: true };

/**
 * Verbs of npm that read, run scripts of the project or install what it declares. npm has many other names and any start of a
 * name for the rest, so that every other verb counts as a change.
 */
const NPM_KEEPS =
  /^(?:|t|tst|test|run|run-script|rum|urn|start|stop|restart|ls|list|la|ll|outdated|view|v|info|show|why|explain|audit|pack|help|help-search|search|find|s|se|root|prefix|bin|ping|whoami|doctor|fund|query|sbom|diff|prune|dedupe|ddp|find-dupes|rebuild|rb|shrinkwrap|completion|cache|docs|home|bugs|issues|repo|exec|x|i|install|ci|clean-install|ic|install-clean|it|install-test|cit|sit|install-ci-test|clean-install-test)$/;

/** Verbs of pnpm, yarn and bun; their other verbs may be scripts of the project. */
const CHANGES_PACKAGE =
  /^(?:config|c|set|get|pkg|init|create|innit|publish|unpublish|version|link|ln|unlink|edit|explore|set-script|login|logout|adduser|token|owner|author|access|deprecate|undeprecate|dist-tag|dist-tags|tag|star|unstar|plugin|self-update|global|patch|patch-commit|patch-remove|import|env|runtime|rt|setup|policies|add|a|remove|rm|r|un|uninstall|upgrade|upgrade-interactive|up|update|dlx|hook|team|org|profile|restart-daemon|server|store|approve-builds|trust)$/;

/** In place of a script: an address with the code in it, or input. */
const FROM_ELSEWHERE = /^(?:data|blob):|^(?:-|\/dev\/(?:stdin|tty|fd\/\d+))$/i;

const NPM_OPTIONS =
  '-sqhvwry w: F: silent quiet if-present workspaces workspace: json verbose loglevel: ignore-scripts include-workspace-root legacy-peer-deps no-audit no-fund no-progress frozen-lockfile recursive filter: parallel color no-color offline prefer-offline depth: all long production omit: include: dev prod';
const NPX_OPTIONS = '-qy p: package: yes no quiet c; call; no-install';

/** Package managers: of projects, of languages, and of the system. */
export const PACKAGE_MANAGERS: readonly Program[] = [
  {
    names: 'go',
    runs: ['project', 'packages'],
    singleDash: true,
    options:
      '-vnxh o> race cover short run: count: timeout: bench: benchmem failfast json parallel: cpu: tags: list: skip: shuffle: trimpath mod: vet:',
    effects: [INSTALLS_PROGRAM, { why: 'changesMachine', words: /^(?:env .*-[wu]|telemetry)/ }, RUNS_ADDRESS],
    packages: { optionsBehindVerb: true },
  },
  {
    names: 'cargo',
    runs: ['project', 'packages'],
    options:
      '-qvh p: j: quiet verbose release package: workspace all all-targets all-features features: no-default-features lib bins bin: example: examples test: tests benches bench: doc jobs: locked offline frozen format-version: no-deps no-run no-fail-fast check message-format: color: exclude: profile: target: keep-going',
    effects: [INSTALLS_PROGRAM],
    irreversible: [CHANGES_REGISTRY],
    packages: { optionsBehindVerb: true, verbs: CARGO_VERBS },
  },
  {
    names: 'npm',
    hasVersions: true,
    runs: ['project', 'packages'],
    options: NPM_OPTIONS,
    abbreviates: {
      verbs:
        'publish unpublish exec install uninstall update link init config set pkg access owner profile token team org deprecate undeprecate dist-tag star unstar adduser login logout edit explore stage trust approve-scripts',
      except: 't s se start',
    },
    publishVerbs: /^(?:un)?publish$/,
    irreversible: [CHANGES_REGISTRY],
    packages: { fetches: true, keeps: NPM_KEEPS, informs: { cache: /^(?:|ls|verify|clean|npx)$/ } },
  },
  {
    names: 'yarn',
    runs: ['project', 'packages'],
    options: NPM_OPTIONS,
    publishVerbs: /^(?:un)?publish$/,
    irreversible: [CHANGES_REGISTRY],
    packages: {
      optionsBeforeVerb: true,
      verbMayBeProgram: true,
      changes: CHANGES_PACKAGE,
      informs: { npm: /^(?:info|audit|whoami|publish)$/, tag: /^(?:list|ls)$/, plugin: /^(?:list|runtime)$/ },
      forPackages: { workspace: 2, workspaces: 'options' },
    },
  },
  {
    names: 'pnpm',
    runs: ['project', 'packages'],
    options: NPM_OPTIONS,
    publishVerbs: /^(?:un)?publish$/,
    irreversible: [CHANGES_REGISTRY],
    packages: {
      optionsBeforeVerb: true,
      verbMayBeProgram: true,
      changes: CHANGES_PACKAGE,
      forPackages: { recursive: 1, multi: 1, m: 1 },
    },
  },
  {
    names: 'npx',
    hasVersions: true,
    runs: ['project', 'packages'],
    options: NPX_OPTIONS,
    packages: { isDirect: true },
  },
  { names: 'bunx pnpx', runs: ['project', 'packages'], options: NPX_OPTIONS, packages: { isDirect: true } },
  { names: 'dlx', runs: ['packages'] },
  { names: 'pipenv rye hatch pdm', runs: ['packages'], packages: ANY_PROGRAM },
  { names: 'uvx', runs: ['packages'], packages: { isDirect: true } },
  { names: 'pipx', runs: ['packages'], effects: [CHANGES_TOOLS, INSTALLS_ALWAYS], packages: { isDirect: true } },
  { names: 'corepack', runs: ['packages'], effects: [CHANGES_TOOLS], packages: ANY_PROGRAM },
  {
    names: 'bun',
    hasVersions: true,
    runs: ['script', 'packages'],
    publishVerbs: /^(?:un)?publish$/,
    effects: [RUNS_ADDRESS, { why: 'serves', words: /^(?:run )?(?:-\S+ )*\S+\.html?(?= |$)/ }],
    packages: {
      optionsBeforeVerb: true,
      verbMayBeProgram: true,
      fetches: true,
      changes: CHANGES_PACKAGE,
      informs: { pm: /^(?:|ls|list|bin|hash|hash-string|hash-print|cache|untrusted|default-trusted|whoami|why|view)$/ },
      code: FROM_ELSEWHERE,
      codeAfterRun: /^-\w*[ep]$/,
    },
  },
  {
    names: 'deno',
    hasVersions: true,
    runs: ['script', 'packages'],
    publishVerbs: /^(?:un)?publish$/,
    servesOwnPages: true,
    effects: [
      { why: 'changesMachine', words: /(?:^| )(?:install|uninstall|upgrade|deploy|jupyter)(?= |$)/ },
      RUNS_ADDRESS,
      RUNS_PACKAGE,
      { why: 'downloads', words: /^(?!task )(?:\S+ )*?(?:https?:|npm:|jsr:)/ },
    ],
    packages: { optionsBeforeVerb: true, code: FROM_ELSEWHERE },
  },
  {
    names: 'uv',
    runs: ['packages'],
    effects: [
      { why: 'showsSecrets', words: /^(?:-\S+ )*auth(?= |$)/ },
      {
        why: 'changesMachine',
        words:
          /^(?:-\S+ )*(?:tool (?!list|dir)|self |publish|python (?!list|find)|pip (?!list|show|freeze|check|tree|compile))/,
      },
      { why: 'downloads', words: /^(?:-\S+ )*run (?:-\S+ (?:(?!-\S)[^\s:]+ )??)*https?:/i },
    ],
    irreversible: [CHANGES_REGISTRY],
    packages: ANY_PROGRAM,
  },
  { names: 'poetry', runs: ['packages'], irreversible: [CHANGES_REGISTRY], packages: ANY_PROGRAM },
  {
    names: 'bundle',
    runs: ['packages'],
    abbreviates: { verbs: 'exec update add remove config console open plugin' },
    packages: ANY_PROGRAM,
  },
  {
    names: 'rake',
    runs: ['packages'],
    packages: { changes: 'nothing', code: /^-[a-zA-Z]*[eEp]/ },
    everyOperandIsTask: true,
  },
  {
    names: 'dotnet',
    runs: ['packages'],
    localVerb: 'publish',
    servesOwnPages: true,
    effects: [
      { why: 'downloads', words: /^tool (?:exec|execute|install|update)(?= |$)/ },
      { why: 'showsProcesses', words: /^(?:dump|trace|counters|gcdump|stack)(?= |$)/ },
      { why: 'showsSecrets', words: /^(?:user-secrets|nuget list source)\b/ },
    ],
    irreversible: [CHANGES_REGISTRY],
  },
  {
    names: 'mvn',
    runs: ['packages'],
    changesFilesWord: MAVEN_WRAPPER,
    effects: MAVEN_EFFECTS,
    packages: { changes: 'nothing', code: /\bgroovy[\w-]*:|\bscripting:|^-Dexec\.mainClass=groovy\./ },
    everyOperandIsTask: true,
  },
  {
    names: 'gradle gradlew',
    projectWrapper: 'gradlew',
    runs: ['packages'],
    packages: { changes: 'nothing' },
    everyOperandIsTask: true,
    abbreviates: { verbs: 'publish deploy properties jib', isCamelCase: true },
    changesFilesWord: /^(?:.*:)?wrapper$/,
    servesOwnPages: true,
    effects: [
      { why: 'publishes', words: /(?:^| )(?:\S+:)?jib(?= |$)/ },
      { why: 'showsSecrets', words: /(?:^| )(?:\S+:)?properties(?= |$)/ },
      { why: 'publishes', words: /(?:^| )--scan(?= |$)/ },
    ],
  },
  {
    names: 'mvnw',
    runs: ['packages'],
    changesFilesWord: MAVEN_WRAPPER,
    effects: MAVEN_EFFECTS,
    projectWrapper: 'mvnw',
    packages: { changes: 'nothing' },
    everyOperandIsTask: true,
  },
  {
    names: 'mvnd',
    changesFilesWord: MAVEN_WRAPPER,
    effects: MAVEN_EFFECTS,
    everyOperandIsTask: true,
  },
  {
    names: 'composer',
    runs: ['packages'],
    abbreviates: { verbs: 'exec global require remove update create-project config' },
  },
  {
    names: 'mix',
    runs: ['packages'],
    localVerb: 'release',
    packages: { code: /^(?:eval|cmd)$/ },
    everyOperandIsTask: true,
  },
  {
    names: 'sbt',
    runs: ['packages'],
    packages: { changes: 'nothing', code: /(?:^|;)\s*(?:[~+]\s*)?(?:[\w-]+\/)*(?:eval|set|apply|shell)(?:\s|$)/ },
    everyOperandIsTask: true,
  },
  {
    names: 'lein',
    runs: ['packages'],
    packages: { changes: 'nothing', code: /^clojure\.main$/ },
    everyOperandIsTask: true,
  },
  {
    names: 'npm-check-updates',
    isCommonPackage: true,
    changesFilesWord: UPGRADES,
  },
  { names: 'ncu', changesFilesWord: UPGRADES },
  {
    names: 'gem',
    abbreviates: { verbs: 'install uninstall update push yank owner signin signout exec sources cleanup pristine' },
    effects: [CHANGES_TOOLS, RUNS_PACKAGE, { why: 'showsSecrets', words: /^sources(?: -l| --list)?$/ }],
    irreversible: [CHANGES_REGISTRY],
  },
  // They publish packages.
  { names: 'twine vsce ovsx', effects: [SENDS_ALWAYS], irreversible: [CHANGES_REGISTRY] },
  // Of the system.
  {
    names:
      'apt apt-get apt-key aptitude add-apt-repository dpkg yum dnf rpm zypper pacman yay paru apk emerge brew port snap flatpak choco winget scoop nix-env pkg pkg_add pkg_delete softwareupdate xbps-install opkg',
    effects: [
      {
        why: 'changesMachine',
        unless: informs(
          String.raw`(?:list|search|show|info|policy|depends|outdated|deps|leaves|--prefix|-[lLs]|-q[ail]*|-Q[ils]*|-Ss)(?: |$)`,
        ),
      },
    ],
  },
  // Of languages.
  { names: 'pip', hasVersions: true, startsCommand: true, effects: [CHANGES_TOOLS, SHOWS_SOURCES] },
  { names: 'conda mamba micromamba', effects: [CHANGES_TOOLS, SHOWS_SOURCES] },
  { names: 'rustup luarocks nvm fnm pyenv nodenv volta sdk ghcup opam pear pecl krew', effects: [CHANGES_TOOLS] },
  { names: 'cpanm cpan n', effects: [CHANGES_TOOLS, INSTALLS_ALWAYS] },
  { names: 'rbenv', effects: [CHANGES_TOOLS, { why: 'showsSecrets', words: /^vars$/ }] },
  { names: 'clojure clj', runs: ['packages'], packages: { changes: 'nothing', code: /^(?:clojure\.|-Sdeps)/ } },
  { names: 'cabal stack', effects: [INSTALLS_PROGRAM] },
  { names: 'pixi', effects: [RUNS_PACKAGE] },
  { names: 'cs coursier', effects: [{ why: 'downloads', words: /^(?:launch|install|bootstrap|setup)(?= |$)/ }] },
  { names: 'dx dnx jbang nlx pnx', effects: [{ why: 'downloads', unless: informs() }] },
];
