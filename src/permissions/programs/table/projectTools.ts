import type { Effect, Program } from '../program';
import { informs } from '../program';

const INSTALLS_HOOKS: Effect = {
  why: 'changesMachine',
  unless: informs(String.raw`(?:run|validate-\S+|sample-config|dump|check-install)(?: |$)`),
};
const SHOWS_DOTENV: Effect = {
  why: 'showsSecrets',
  words:
    /^(?:(?!-- )-\S+ (?:[^\s-]\S* )??)*(?:list|get|set|unset|keys|export|-[a-z]*p\S*|--(?:print|export)\S*)(?= |$)/,
};

const PYTEST_OPTIONS =
  '-xvqslh k: m: r: n: lf ff nf sw exitfirst last-failed failed-first maxfail: tb: durations: collect-only co no-header no-summary capture: color: numprocesses: verbose quiet';

/** xdist copies folders to another machine, or runs an interpreter that the option names. */
const SENDS_TESTS: Effect = { why: 'sends', words: /(?:^|[ =])--(?:[tp]x[ =](?!(?:\d*\*)?popen(?: |$))|rsyncdir)/ };

/** Verbs that run statements in the database of a project, or change what is in it. */
const CHANGES_DATABASE: Readonly<Record<string, RegExp>> = {
  prisma: /^(?:migrate reset|db execute)(?= |$)/,
  'sequelize sequelize-cli': /^db:(?:drop|\S+:undo)(?=[ :]|$)/,
  'typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm': /^(?:schema:drop|migration:revert|query)(?= |$)/,
  knex: /^(?:migrate:(?:rollback|down|latest|up|unlock)|seed:run)(?= |$)/,
  'drizzle-kit': /^drop(?= |$)/,
};

/** Options with the same meaning for all programs: none runs, loads or writes anything. */
export const COMMON_OPTIONS =
  '-hVvq help version verbose quiet silent color? no-color colors no-colors json watch watchAll once bail fail-fast failfast dry-run ci grep: testNamePattern: test-name-pattern: nocapture ignored include-ignored exact test-threads: show-output';

/** Tools of a project: tests, linters, builds and development servers. Package runners may download the common ones without a question. */
export const PROJECT_TOOLS: readonly Program[] = [
  {
    names: 'vitest',
    runs: ['project'],
    options:
      '-wuh t: run watch update ui? coverage no-coverage? silent? testNamePattern: hideSkippedTests bail: retry: changed? passWithNoTests allowOnly dom globals isolate no-isolate mode: project: shard: maxWorkers: minWorkers: testTimeout: hookTimeout: logHeapUsage color no-color no-file-parallelism related',
  },
  {
    names: 'jest',
    runs: ['project'],
    options:
      '-biouh t: w: ci watch watchAll bail? coverage no-coverage verbose silent testNamePattern: testPathPattern: testPathPatterns: runInBand onlyChanged updateSnapshot maxWorkers: detectOpenHandles forceExit findRelatedTests listTests noStackTrace passWithNoTests lastCommit clearCache no-cache colors color testTimeout: shard: logHeapUsage changedSince:',
  },
  {
    names: 'mocha',
    runs: ['project'],
    options:
      '-ibwpSAcCh g: f: t: s: j: grep: fgrep: invert bail timeout: slow: watch parallel jobs: exit forbid-only forbid-pending recursive sort async-only full-trace retries: color no-color diff no-diff inline-diffs dry-run check-leaks delay',
  },
  { names: 'pytest', runs: ['project'], options: PYTEST_OPTIONS, effects: [SENDS_TESTS], isPythonModule: true },
  { names: 'py.test', runs: ['project'], options: PYTEST_OPTIONS, effects: [SENDS_TESTS] },
  {
    names: 'eslint',
    runs: ['project'],
    options:
      '-h fix fix-dry-run quiet max-warnings: ext: cache no-cache color no-color no-ignore report-unused-disable-directives no-error-on-unmatched-pattern debug stdin',
  },
  {
    names: 'prettier',
    runs: ['project'],
    options:
      '-cwluh check write list-different ignore-unknown no-color loglevel: log-level: cache no-cache no-error-on-unmatched-pattern',
    printsUnless: {
      given:
        /^(?:--(?:check|list-different|write|find-config-path|file-info|support-info|version|help)|-[a-z]*[clwhv][a-z]*)$/,
      cancel: /^--no-(?:check|list-different|write)$/,
    },
  },
  {
    names: 'tsc vue-tsc',
    runs: ['project'],
    singleDash: true,
    options:
      '-wvh p< project< noEmit noemit watch pretty? strict skipLibCheck showConfig listFiles noEmitOnError extendedDiagnostics diagnostics target: t: module: m: lib: jsx: esModuleInterop allowJs checkJs',
  },
  {
    names: 'ruff',
    runs: ['project'],
    options: '-qvh fix no-fix diff quiet verbose select: ignore: line-length: statistics watch show-fixes check',
    isPythonModule: true,
  },
  {
    names: 'mypy',
    runs: ['project'],
    options: '-vh strict ignore-missing-imports no-error-summary pretty verbose',
    isPythonModule: true,
  },
  {
    names: 'black',
    runs: ['project'],
    options: '-qvhl check diff quiet verbose line-length: color no-color',
    isPythonModule: true,
  },
  {
    names: 'cmake',
    runs: ['project', 'targets'],
    options: '-v S/ B/ G: D: j? W? t: build/ target: config: parallel? preset: list-presets? fresh clean-first verbose',
    everyWord: true,
    localVerb: 'release',
  },
  {
    names: 'make gmake',
    hasVersions: true,
    runs: ['project', 'targets'],
    options:
      '-knsBqwhp j? C/ f< k jobs? silent quiet always-make keep-going dry-run just-print directory/ file< makefile< no-print-directory print-directory output-sync? question stop',
    everyWord: true,
    printsVariables: /^-[A-Za-z]*p|^--print-data-base$/,
    runsRecipes: true,
  },
  { names: 'ninja', everyWord: true },
  {
    names: 'just',
    everyWord: true,
    effects: [{ why: 'showsSecrets', words: /(?:^| )(?:-e|--(?:evaluate|edit|variables))(?= |$)/ }],
    runsRecipes: true,
  },
  { names: 'task', everyWord: true, runsRecipes: true },
  { names: 'unittest pyflakes compileall py_compile json.tool doctest', isPythonModule: true },
  { names: 'isort flake8 pylint tox nox coverage', isCommonPackage: true, isPythonModule: true },
  {
    names: 'ng vite webpack-cli vue-cli-service next nuxt astro docusaurus esbuild nx expo storybook vitepress',
    isCommonPackage: true,
    servesOwnPages: true,
  },
  { names: 'webpack rollup', isCommonPackage: true, servesOwnPages: true, folders: 'checks' },
  {
    names:
      'mkdocs gatsby eleventy rsbuild trunk ember quasar ionic stencil antora mdbook pelican artisan symfony rails hexo honkit slidev vuepress skeleton ollama',
    servesOwnPages: true,
  },
  { names: 'jekyll hugo rspack zola dart flutter', servesOwnPages: true, folders: 'checks' },
  { names: 'swc sass', isCommonPackage: true, folders: 'checks' },
  {
    names:
      'turbo playwright svelte-kit svelte-check react-scripts react-native knip depcheck madge tsup tsd typedoc nyc c8 ava tap jasmine karma stylelint markdownlint markdownlint-cli2 cspell commitlint lint-staged biome @biomejs/biome oxlint oxfmt xo standard tailwindcss @tailwindcss/cli postcss http-server mkdirp ts-jest gulp grunt changeset @changesets/cli node-gyp electron vscode-test @vscode/test-cli typescript size-limit publint attw pyright ty bandit',
    isCommonPackage: true,
  },
  // It listens on all interfaces.
  {
    names: 'parcel',
    isCommonPackage: true,
    effects: [{ why: 'serves', unless: informs('(?:build|watch|help)(?: |$)') }],
  },
  ...Object.entries(CHANGES_DATABASE).map(([names, words]): Program => ({
    names,
    isCommonPackage: true,
    effects: [{ why: 'sends', words }],
  })),
  { names: 'lerna', isCommonPackage: true, effects: [{ why: 'publishes', words: /^(?:-\S+ )*version(?= |$)/ }] },
  { names: 'cypress', isCommonPackage: true, effects: [{ why: 'publishes', words: /(?:^| )--record(?= |$)/ }] },
  { names: 'husky pre-commit', isCommonPackage: true, effects: [INSTALLS_HOOKS] },
  // They install hooks of git.
  { names: 'lefthook simple-git-hooks overcommit', effects: [INSTALLS_HOOKS] },
  { names: 'serve', isCommonPackage: true, servesFiles: 'name' },
  { names: 'rimraf', isCommonPackage: true, folders: 'deletes' },
  { names: 'dotenv', isCommonPackage: true, effects: [SHOWS_DOTENV] },
  { names: 'dotenv-cli', matches: /^\w*dotenv(?:-cli|-flow)?$/, effects: [SHOWS_DOTENV] },
  { names: 'shdotenv', effects: [SHOWS_DOTENV, { why: 'showsSecrets', words: /^(?:$|-)/ }] },
  { names: 'web-ext', isCommonPackage: true, effects: [{ why: 'publishes', words: /^sign(?= |$)/ }] },
  { names: 'electron-builder', effects: [{ why: 'publishes', words: /(?:^| )-p (?!never)/ }] },
  {
    names:
      'phpcs phpmd psalm cloc tokei scc loc gdu dust dua ncdu ctags protoc cc jscpd babel stylua vulture subl idea',
    folders: 'checks',
  },
  { names: 'rebar3 swift zig xcodebuild meson bazel', localVerb: 'release' },
];
