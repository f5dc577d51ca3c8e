import { settings } from '../evaluatedWords';
import type { Program } from '../program';
import { RUNS_INPUT } from './commonEffects';

const TIMEOUT_OPTIONS = '-fpv k: s: kill-after: signal: foreground preserve-status verbose';
const SH_OPTIONS = '-ceuxvnflihBm o: norc noprofile posix login';

/** Shells, and programs that run the command behind their own words. */
export const SHELLS: readonly Program[] = [
  {
    names: 'set',
    operands: 'text',
    options: '-euxvf o:',
    everyWord: true,
    printsVariables: 'withoutWords',
    setsVariables: true,
    riskyWords: settings,
  },
  {
    names: 'env',
    hasVersions: true,
    runs: ['command'],
    optionsFirst: true,
    options: '-i0v u: C/ ignore-environment null debug unset: chdir/',
    printsVariables: 'withoutCommand',
    setsVariables: true,
  },
  {
    names: 'timeout',
    hasVersions: true,
    runs: ['command'],
    optionsFirst: true,
    options: TIMEOUT_OPTIONS,
    operandsBefore: 1,
  },
  { names: 'gtimeout', runs: ['command'], optionsFirst: true, options: TIMEOUT_OPTIONS, operandsBefore: 1 },
  { names: 'nice', runs: ['command'], optionsFirst: true, options: '# n: adjustment:' },
  { names: 'nohup builtin chronic unbuffer caffeinate', runs: ['command'], optionsFirst: true, options: '-pi' },
  {
    names: 'command',
    runs: ['command'],
    optionsFirst: true,
    options: '-pi',
    printsWith: '-v -V',
    startsCommand: false,
  },
  { names: 'exec', runs: ['command'], optionsFirst: true, options: '-cl a:' },
  { names: 'time', runs: ['command'], optionsFirst: true, options: '-pv portability verbose' },
  { names: 'stdbuf', runs: ['command'], optionsFirst: true, options: 'i: o: e: input: output: error:' },
  {
    names: 'cross-env',
    runs: ['command'],
    optionsFirst: true,
    options: '',
    isCommonPackage: true,
    setsVariables: true,
  },
  { names: 'ccache sccache distcc shx', runs: ['command'], optionsFirst: true, options: '' },
  { names: 'arch', runs: ['command'], singleDash: true, optionsFirst: true, options: 'x86_64 arm64 arm64e i386 32 64' },
  { names: 'setsid', runs: ['command'], optionsFirst: true, options: '-cfw ctty fork wait' },
  { names: 'ionice', runs: ['command'], optionsFirst: true, options: '-t c: n: class: classdata: ignore' },
  {
    names: 'sh bash dash zsh',
    runs: ['shellLine'],
    optionsFirst: true,
    options: SH_OPTIONS,
    irreversible: [RUNS_INPUT],
    agentShell: 'posix',
  },
  { names: 'ksh', runs: ['shellLine'], optionsFirst: true, options: SH_OPTIONS, agentShell: 'posix' },
  { names: 'ash', runs: ['shellLine'], optionsFirst: true, options: SH_OPTIONS },
  { names: 'source .', runs: ['sourcedScript'], everyWord: true },
];
