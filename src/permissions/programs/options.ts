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

/** How a program reads its options. */
export interface OptionSyntax {
  /**
   * The options that are known to have only the listed effects; every other one may do anything. `-abc` are three flags, `n:` and `bytes:`
   * take a value, `#` is a number such as `-5`. The other marks are `?` optional, `<` read, `>` write, `/` folder, `*` deep, `;` line,
   * `!` last, `+` filter: see {@link OptionKind}. `--help` and `--version` are always known.
   */
  readonly options?: string;
  /** Long options have one dash. */
  readonly singleDash?: true;
  /** Options end with the first operand. */
  readonly optionsFirst?: true;
  /** No option can run or write anything. */
  readonly anyOptions?: true;
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

const parsed = new Map<string, ReadonlyMap<string, OptionKind>>();

/** The known options, by their names without dashes. */
export function optionKinds({ options }: OptionSyntax): ReadonlyMap<string, OptionKind> {
  if (options === undefined) return NO_OPTIONS;
  let kinds = parsed.get(options);
  if (!kinds) {
    kinds = new Map([['help', 'flag'], ['version', 'flag'], ...options.split(' ').flatMap(optionsOf)]);
    parsed.set(options, kinds);
  }
  return kinds;
}

const NO_OPTIONS: ReadonlyMap<string, OptionKind> = new Map();

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
export function readWords(argv: readonly string[], syntax: OptionSyntax, from = 1): ReadWords {
  const reader = new WordReader(argv, syntax);
  reader.read(from);
  return reader;
}

class WordReader implements ReadWords {
  readonly operands: number[] = [];
  readonly values: OptionValue[] = [];
  readonly unknown: number[] = [];
  readonly given = new Set<string>();
  readonly options: GivenOption[] = [];
  readonly #kinds: ReadonlyMap<string, OptionKind>;

  constructor(
    private readonly argv: readonly string[],
    private readonly syntax: OptionSyntax,
  ) {
    this.#kinds = optionKinds(syntax);
  }

  read(from: number): void {
    const { optionsFirst, anyOptions, singleDash } = this.syntax;
    for (let at = from; at < this.argv.length; at++) {
      const word = this.argv[at] ?? '';
      const isLast = this.values.at(-1)?.kind === 'last' || (optionsFirst && !isOption(word));
      if (word === '--' || isLast) {
        for (let rest = isLast ? at : at + 1; rest < this.argv.length; rest++) this.operands.push(rest);
        return;
      }
      if (!isOption(word)) this.operands.push(at);
      else if (!anyOptions) at += word.startsWith('--') || singleDash ? this.#long(at) : this.#short(at);
    }
  }

  /** @returns the number of further words that belong to the option */
  #long(at: number): number {
    const [, name = '', value] = /^--?([^=]*)(?:=(.*))?$/s.exec(this.argv[at] ?? '') ?? [];
    const kind = name.length === 1 && !this.syntax.singleDash ? undefined : this.#kinds.get(name);
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
    if (this.#kinds.has('#') && /^\d+$/.test(letters.join(''))) {
      this.options.push({ name: letters.join('') });
      return 0;
    }
    for (const [index, letter] of letters.entries()) {
      const kind = this.#kinds.get(letter);
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
