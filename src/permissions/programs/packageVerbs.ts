/** Verbs of package managers with permanent effects: on `package.json`, settings or the registry. */

/**
 * Verbs of npm that read, run scripts of the project or install what it declares. npm has many other names and any start of a
 * name for the rest, so that every other verb counts as a change.
 */
const NPM_KEEPS =
  /^(?:|t|tst|test|run|run-script|rum|urn|start|stop|restart|ls|list|la|ll|outdated|view|v|info|show|why|explain|audit|pack|help|help-search|search|find|s|se|root|prefix|bin|ping|whoami|doctor|fund|query|sbom|diff|prune|dedupe|ddp|find-dupes|rebuild|rb|shrinkwrap|completion|cache|docs|home|bugs|issues|repo|exec|x|config|get|i|install|ci|clean-install|ic|install-clean|it|install-test|cit|sit|install-ci-test|clean-install-test)$/;

/** Verbs of pnpm, yarn and bun; their other verbs may be scripts of the project. */
const CHANGES_PACKAGE =
  /^(?:config|c|set|get|pkg|init|create|innit|publish|unpublish|version|link|ln|unlink|edit|explore|set-script|login|logout|adduser|token|owner|author|access|deprecate|undeprecate|dist-tag|dist-tags|tag|star|unstar|plugin|self-update|global|patch|patch-commit|patch-remove|import|env|runtime|rt|setup|policies|add|a|remove|rm|r|un|uninstall|upgrade|upgrade-interactive|up|update|dlx|hook|team|org|profile|restart-daemon|server|store|approve-builds|trust)$/;
/** Of the verb `npm` of yarn, `pm` of bun: verbs that only show something. `publish` asks for its effect. */
const SUB_KEEPS: Readonly<Record<string, RegExp>> = {
  'yarn npm': /^(?:info|audit|whoami|publish)$/,
  'yarn tag': /^(?:list|ls)$/,
  'yarn plugin': /^(?:list|runtime)$/,
  'bun pm': /^(?:|ls|list|bin|hash|hash-string|hash-print|cache|untrusted|default-trusted|whoami|why|view)$/,
  'npm cache': /^(?:|ls|verify|clean|npx)$/,
};

/** Verbs of other package runners that change something permanently, or send data. */
const CHANGES_OTHERS =
  /^(?:add|remove|get|require|publish|deploy|upload|push|login|logout|self|self-update|create-project|global|nuget|workload|update|upgrade|uninstall|source|yank|owner|config|hex\..+|archive\..+|local\..+)$/;

const INSTALLS = /^(?:install|i|ci|clean-install|ic|install-clean|it|install-test|cit|sit|install-ci-test)$/;
/** `audit fix` and `audit --fix` install other versions. */
const FIXES = /^(?:fix|--fix(?:=.*)?)$/;

/** Whether the verb changes more than the project defines: with package names also `install`. */
export function changesPackages(
  argv: readonly string[],
  name: string,
  verb: string,
  /** Only options follow the verb. */
  hasOnlyOptions: boolean,
): boolean {
  if (/^(?:mvn|mvnw|gradle|gradlew|sbt|lein|rake)$/.test(name)) return false;
  const words = argv.slice(argv.indexOf(verb) + 1);
  const next = words.find((word) => !word.startsWith('-')) ?? '';
  const keeps = SUB_KEEPS[`${name} ${verb}`];
  if (keeps) return !keeps.test(next) || (verb === 'pm' && next === 'cache' && words.length > 1);
  if (verb === 'audit' && words.some((word) => FIXES.test(word))) return true;
  if (!hasOnlyOptions && INSTALLS.test(verb)) return true;
  if (name === 'npm') return !NPM_KEEPS.test(verb) || /^(?:config|get)$/.test(verb);
  return (/^(?:pnpm|yarn|bun)$/.test(name) ? CHANGES_PACKAGE : CHANGES_OTHERS).test(verb);
}

/** `yarn workspace a add x`, `pnpm recursive add x`: the command for each package, as a command of its own. */
export function commandForPackages(argv: readonly string[], name: string, verb: string): readonly string[] | undefined {
  const at = argv.indexOf(verb);
  if (name === 'yarn' && verb === 'workspace') return [name, ...argv.slice(at + 2)];
  if (name === 'pnpm' && /^(?:recursive|multi|m)$/.test(verb)) return [name, ...argv.slice(at + 1)];
  if (name !== 'yarn' || verb !== 'workspaces') return undefined;
  const from = argv.findIndex(
    (word, index) => index > at && (CHANGES_PACKAGE.test(word) || /^(?:run|exec)$/.test(word)),
  );
  return from < 0 ? undefined : [name, ...argv.slice(from)];
}
