import type { Program } from '../program';
import { RUNS_INPUT } from './commonEffects';

const NODE_OPTIONS =
  '-vhc test watch enable-source-maps no-warnings trace-warnings trace-uncaught test-name-pattern: test-only test-concurrency: test-timeout: max-old-space-size: expose-gc check experimental-strip-types no-deprecation trace-deprecation env-file< env-file-if-exists<';

/** Programs that run a script. */
export const INTERPRETERS: readonly Program[] = [
  {
    names: 'node',
    hasVersions: true,
    runs: ['project', 'script'],
    optionsFirst: true,
    options: NODE_OPTIONS,
    effects: [{ why: 'showsProcesses', words: /^inspect (?:-p|[\w.:[\]-]+:\d+$)/ }],
    irreversible: [RUNS_INPUT],
    needsNoScriptWith: 'v test',
  },
  {
    names: 'nodejs',
    hasVersions: true,
    runs: ['project', 'script'],
    optionsFirst: true,
    options: NODE_OPTIONS,
    needsNoScriptWith: 'v test',
  },
  {
    names: 'tsx',
    hasVersions: true,
    runs: ['project', 'script'],
    optionsFirst: true,
    options: '-vhT no-cache transpile-only',
    isCommonPackage: true,
  },
  {
    names: 'ts-node',
    runs: ['project', 'script'],
    optionsFirst: true,
    options: '-vhT no-cache transpile-only',
    isCommonPackage: true,
  },
  {
    names: 'python',
    hasVersions: true,
    runs: ['project', 'script'],
    optionsFirst: true,
    options: '-uOBEsSIvqVhb m!',
    effects: [{ why: 'publishes', words: /(?:^|\/)setup\.py (?:\S+ )*(?:upload|register)(?= |$)/ }],
    irreversible: [RUNS_INPUT],
  },
  {
    names: 'perl',
    hasVersions: true,
    runs: ['project', 'script'],
    optionsFirst: true,
    options: '-vwh V',
    everyWord: true,
    isNoScript: true,
    irreversible: [RUNS_INPUT],
    needsNoScriptWith: 'v',
  },
  {
    names: 'ruby',
    hasVersions: true,
    runs: ['project', 'script'],
    optionsFirst: true,
    options: '-vwh V',
    everyWord: true,
    irreversible: [RUNS_INPUT],
    needsNoScriptWith: 'v',
  },
  {
    names: 'php lua',
    hasVersions: true,
    runs: ['project', 'script'],
    optionsFirst: true,
    options: '-vwh V',
    everyWord: true,
    needsNoScriptWith: 'v',
  },
  {
    names: 'luajit',
    hasVersions: true,
    runs: ['project', 'script'],
    optionsFirst: true,
    options: '-vwh V',
    needsNoScriptWith: 'v',
  },
  { names: 'r rscript', runs: ['project', 'script'], optionsFirst: true, options: '-vwh V', everyWord: true },
  { names: 'julia', runs: ['project', 'script'], optionsFirst: true, options: '-vwh V', needsNoScriptWith: 'v' },
  {
    names:
      'octave racket sbcl clisp swipl ocaml gjs qjs d8 jsc raku janet fennel gosh chez elixir groovy scala runghc runhaskell',
    runs: ['project', 'script'],
    optionsFirst: true,
    options: '-vwh V',
  },
  { names: 'guile java', hasVersions: true, runs: ['project', 'script'], optionsFirst: true, options: '-vwh V' },
  { names: 'erl', hasVersions: true, runs: ['script'] },
  { names: 'pypy', hasVersions: true, runs: ['script'], optionsFirst: true, options: '-uOBEsSIvqVhb m!' },
  { names: 'jshell ghc', runs: ['script'] },
  { names: 'py', runs: ['script'], optionsFirst: true, options: '-uOBEsSIvqVhb m!' },
];
