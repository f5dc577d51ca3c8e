/**
 * The effect of an option, as a table declares it. `flag`: nothing relevant. `value`: takes a text. `optional`: takes an attached text.
 * `read`, `write`: name a file. `folder`: names a folder to run in. `deep`: includes everything below the named folders. `line`: a line
 * for a shell. `last`: a value after which no options follow. `filter`: names that limit what is used below the folders.
 */
export type OptionKind =
  | 'flag'
  | 'value'
  | 'optional'
  | 'read'
  | 'write'
  | 'folder'
  | 'deep'
  | 'line'
  | 'last'
  | 'filter';

/**
 * Other properties of a program. `write`: its operands are written. `text`: its operands are not files. `copy`: the last operand is
 * written to. `in-out`: only the first operand is read. `deep`: folders are used with everything below. `any`: no option can run or write
 * anything. `single`: long options have one dash. `stops`: options end with the first operand. `changes`: writes files that its words do
 * not name. `compares`: of folders, files of the same name are compared.
 */
type Trait = 'compares' | 'write' | 'text' | 'copy' | 'in-out' | 'deep' | 'any' | 'single' | 'stops' | 'changes';

/** The options that are known to have only the listed effects. Every other option may do anything. */
export interface ProgramOptions {
  /** Without dashes; `#` for a number such as `-5`. */
  readonly options: ReadonlyMap<string, OptionKind>;
  readonly traits: ReadonlySet<Trait>;
}

const KINDS: Readonly<Record<string, OptionKind>> = {
  ':': 'value',
  '?': 'optional',
  '<': 'read',
  '>': 'write',
  '/': 'folder',
  '*': 'deep',
  ';': 'line',
  '!': 'last',
  '+': 'filter',
};

/**
 * Parses a table: each line is `name,name [trait trait]: options`. `-abc` are three flags, `n:` or `bytes:` take a value; the other marks
 * are those of {@link OptionKind}, in the order of `KINDS`.
 */
export function optionTable(text: string): ReadonlyMap<string, ProgramOptions> {
  const programs = new Map<string, ProgramOptions>();
  for (const line of text.trim().split('\n')) {
    const [, names = '', traits = '', options = ''] = /^(\S+)(?: \[([^\]]*)\])?:(.*)$/.exec(line.trim()) ?? [];
    const program: ProgramOptions = {
      options: new Map([['help', 'flag'], ['version', 'flag'], ...options.split(' ').flatMap(optionsOf)]),
      traits: new Set(traits.split(' ') as Trait[]),
    };
    for (const name of names.split(',')) programs.set(name, program);
  }
  return programs;
}

function optionsOf(token: string): (readonly [string, OptionKind])[] {
  if (token === '') return [];
  if (token.startsWith('-')) return Array.from(token.slice(1), (letter) => [letter, 'flag']);
  const kind = KINDS[token.at(-1) ?? ''];
  return [kind === undefined ? [token, 'flag'] : [token.slice(0, -1), kind]];
}

/** The parsed words of a command, as indices. */
export interface ReadWords {
  readonly operands: readonly number[];
  /** Options with a relevant value. */
  readonly values: readonly OptionValue[];
  /** Options that are not in the table. */
  readonly unknown: readonly number[];
  readonly given: ReadonlySet<string>;
  /** The known options in their order, with their values. */
  readonly options: readonly GivenOption[];
}

interface GivenOption {
  /** Without dashes; digits for a number such as `-5`. */
  readonly name: string;
  readonly text?: string;
}

interface OptionValue {
  readonly kind: OptionKind;
  readonly text: string;
  /** Indices of option and value. */
  readonly indices: readonly number[];
}

/**
 * Parses words like `getopt_long`, except for abbreviated names.
 * @param from the first word
 */
export function readWords(argv: readonly string[], program: ProgramOptions, from = 1): ReadWords {
  const reader = new WordReader(argv, program);
  reader.read(from);
  return reader;
}

class WordReader implements ReadWords {
  readonly operands: number[] = [];
  readonly values: OptionValue[] = [];
  readonly unknown: number[] = [];
  readonly given = new Set<string>();
  readonly options: GivenOption[] = [];

  constructor(
    private readonly argv: readonly string[],
    private readonly program: ProgramOptions,
  ) {}

  read(from: number): void {
    const { traits } = this.program;
    for (let at = from; at < this.argv.length; at++) {
      const word = this.argv[at] ?? '';
      const isLast = this.values.at(-1)?.kind === 'last' || (traits.has('stops') && !isOption(word));
      if (word === '--' || isLast) {
        for (let rest = isLast ? at : at + 1; rest < this.argv.length; rest++) this.operands.push(rest);
        return;
      }
      if (!isOption(word)) this.operands.push(at);
      else if (!traits.has('any'))
        at += word.startsWith('--') || traits.has('single') ? this.#long(at) : this.#short(at);
    }
  }

  /** @returns the number of further words that belong to the option */
  #long(at: number): number {
    const [, name = '', value] = /^--?([^=]*)(?:=(.*))?$/s.exec(this.argv[at] ?? '') ?? [];
    const kind = name.length === 1 && !this.program.traits.has('single') ? undefined : this.program.options.get(name);
    const isBare = kind === 'flag' || kind === 'deep';
    if (kind === undefined || (isBare && value !== undefined)) {
      this.unknown.push(at);
      return 0;
    }
    if (isBare || (kind === 'optional' && value === undefined)) return this.#take(name);
    return this.#value(at, name, kind, value);
  }

  #short(at: number): number {
    const letters = Array.from((this.argv[at] ?? '').slice(1));
    if (this.program.options.has('#') && /^\d+$/.test(letters.join(''))) {
      this.options.push({ name: letters.join('') });
      return 0;
    }
    for (const [index, letter] of letters.entries()) {
      const kind = this.program.options.get(letter);
      if (kind === undefined) {
        this.unknown.push(at);
        return 0;
      }
      if (kind === 'flag' || kind === 'deep') {
        this.#take(letter);
        continue;
      }
      const rest = letters.slice(index + 1).join('');
      if (kind === 'optional') return this.#take(letter, rest === '' ? undefined : rest);
      return this.#value(at, letter, kind, rest === '' ? undefined : rest);
    }
    return 0;
  }

  #take(name: string, text?: string): 0 {
    this.given.add(name);
    this.options.push({ name, ...(text !== undefined && { text }) });
    return 0;
  }

  #value(at: number, name: string, kind: OptionKind, glued: string | undefined): number {
    const text = glued ?? this.argv[at + 1] ?? '';
    this.#take(name, text);
    this.values.push({ kind, text, indices: glued === undefined ? [at, at + 1] : [at] });
    return glued === undefined ? 1 : 0;
  }
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}
