import type { ProgramOptions } from './optionTable';
import { optionTable } from './optionTable';

/** Programs that run a project's own code. The options listed here only select code or change the output. `optionTable.ts` explains the rows. */
export const projectTools = optionTable(`
vitest: -wuh t: run watch update ui? coverage no-coverage? silent? testNamePattern: hideSkippedTests bail: retry: changed? passWithNoTests allowOnly dom globals isolate no-isolate mode: project: shard: maxWorkers: minWorkers: testTimeout: hookTimeout: logHeapUsage color no-color no-file-parallelism related
jest: -biouh t: w: ci watch watchAll bail? coverage no-coverage verbose silent testNamePattern: testPathPattern: testPathPatterns: runInBand onlyChanged updateSnapshot maxWorkers: detectOpenHandles forceExit findRelatedTests listTests noStackTrace passWithNoTests lastCommit clearCache no-cache colors color testTimeout: shard: logHeapUsage changedSince:
mocha: -ibwpSAcCh g: f: t: s: j: grep: fgrep: invert bail timeout: slow: watch parallel jobs: exit forbid-only forbid-pending recursive sort async-only full-trace retries: color no-color diff no-diff inline-diffs dry-run check-leaks delay
pytest,py.test: -xvqslh k: m: r: n: lf ff nf sw exitfirst last-failed failed-first maxfail: tb: durations: collect-only co no-header no-summary capture: color: numprocesses: verbose quiet
eslint: -h fix fix-dry-run quiet max-warnings: ext: cache no-cache color no-color no-ignore report-unused-disable-directives no-error-on-unmatched-pattern debug stdin
prettier: -cwluh check write list-different ignore-unknown no-color loglevel: log-level: cache no-cache no-error-on-unmatched-pattern
tsc,vue-tsc [single]: -wvh p< project< noEmit noemit watch pretty? strict skipLibCheck showConfig listFiles noEmitOnError extendedDiagnostics diagnostics target: t: module: m: lib: jsx: esModuleInterop allowJs checkJs
ruff: -qvh fix no-fix diff quiet verbose select: ignore: line-length: statistics watch show-fixes check
mypy: -vh strict ignore-missing-imports no-error-summary pretty verbose
black: -qvhl check diff quiet verbose line-length: color no-color
go [single]: -vnxh o> race cover short run: count: timeout: bench: benchmem failfast json parallel: cpu: tags: list: skip: shuffle: trimpath mod: vet:
cargo: -qvh p: j: quiet verbose release package: workspace all all-targets all-features features: no-default-features lib bins bin: example: examples test: tests benches bench: doc jobs: locked offline frozen format-version: no-deps no-run no-fail-fast check message-format: color: exclude: profile: target: keep-going
npm,pnpm,yarn: -sqhvwry w: F: silent quiet if-present workspaces workspace: json verbose loglevel: ignore-scripts include-workspace-root legacy-peer-deps no-audit no-fund no-progress frozen-lockfile recursive filter: parallel color no-color offline prefer-offline depth: all long production omit: include: dev prod
npx,bunx,pnpx: -qy p: package: yes no quiet c; call; no-install
cmake: -v S/ B/ G: D: j? W? t: build/ target: config: parallel? preset: list-presets? fresh clean-first verbose
make,gmake: -knsBqwhp j? C/ f< k jobs? silent quiet always-make keep-going dry-run just-print directory/ file< makefile< no-print-directory print-directory output-sync? question stop
node,nodejs [stops]: -vhc test watch enable-source-maps no-warnings trace-warnings trace-uncaught test-name-pattern: test-only test-concurrency: test-timeout: max-old-space-size: expose-gc check experimental-strip-types no-deprecation trace-deprecation env-file< env-file-if-exists<
tsx,ts-node [stops]: -vhT no-cache transpile-only
python [stops]: -uOBEsSIvqVhb m!
perl,ruby,php,lua,luajit,r,rscript,julia,octave,guile,racket,sbcl,clisp,swipl,ocaml,gjs,qjs,d8,jsc,raku,janet,fennel,gosh,chez,elixir,groovy,scala,java,runghc,runhaskell [stops]: -vwh V
`);

/** Options with the same meaning for all programs: none runs, loads or writes anything. */
export const COMMON: ProgramOptions = optionTable(
  'any: -hVvq help version verbose quiet silent color? no-color colors no-colors json watch watchAll once bail fail-fast failfast dry-run ci grep: testNamePattern: test-name-pattern: nocapture ignored include-ignored exact test-threads: show-output',
).get('any') ?? { options: new Map(), traits: new Set() };

/** Python modules that are tools, for `python -m`; other modules may take code or other programs. */
export const PYTHON_TOOLS =
  /^(?:pytest|unittest|mypy|ruff|black|isort|flake8|pylint|pyflakes|compileall|py_compile|tox|nox|coverage|json\.tool|doctest)$/;

const PACKAGES: ReadonlySet<string> = new Set(
  `vite webpack webpack-cli rollup parcel esbuild swc turbo nx lerna playwright cypress storybook next nuxt astro svelte-kit svelte-check ng
  vue-cli-service react-scripts expo react-native prisma drizzle-kit typeorm sequelize knex knip depcheck madge tsup tsd typedoc nyc c8 ava tap
  jasmine karma stylelint markdownlint markdownlint-cli2 cspell commitlint lint-staged husky biome @biomejs/biome oxlint oxfmt xo standard tailwindcss
  @tailwindcss/cli postcss sass less serve http-server rimraf mkdirp cross-env dotenv ts-jest tsx ts-node vitepress docusaurus gulp grunt changeset
  @changesets/cli node-gyp electron vscode-test @vscode/test-cli typescript npm-check-updates size-limit publint attw web-ext wrangler
  pre-commit isort flake8 pyright ty pylint bandit coverage nox tox ipython`.split(/\s+/),
);

/** A tool common in projects, by its package name: `prettier`, `prettier@3`. */
export function isCommonPackage(word: string): boolean {
  const name = /^((?:@[\w.-]+\/)?[\w.-]+)(?:@[\w.^~-]+)?$/.exec(word)?.[1];
  return name !== undefined && (projectTools.has(name) || PACKAGES.has(name));
}
