import type { Program } from './program';

/** Finds code and command lines in the words of programs that pass them on. */

/** Programs read these instead of a file: the code is not in the line. */
export const INPUT = /^(?:-|\/dev\/(?:stdin|tty|fd\/\d+))$/;

/** A program name does not have blanks or shell syntax, so that the word is a line for a shell (`bun exec`, `yarn exec`). */
export const SHELL_TEXT = /[\s;&|<>()$`*?]/;

/** Texts for people, which may begin with the name of a program: `-m "rm unused code"`. */
const BEFORE_TEXT = /^(?:-\w*m|--(?:message|title|body|description|reason|comment))$/;

/** The words that an unknown program may pass to a shell. */
export function textIndices(argv: readonly string[]): readonly number[] {
  return argv.flatMap((_, index) => (index === 0 || BEFORE_TEXT.test(argv[index - 1] ?? '') ? [] : [index]));
}

/**
 * The words that are command lines of known programs: `start-server "rm x"`, `--before="curl x"`.
 * @param isRunner whether the program runs others, or changes files
 */
export function commandTexts(argv: readonly string[], isRunner: (word: string) => boolean): readonly string[] {
  return textIndices(argv).flatMap((index) => {
    const word = argv[index] ?? '';
    const text = /^--?[\w-]+=(.*)$/s.exec(word)?.[1] ?? word;
    const programs = text.split(/[;&|\n]+/).map((part) => part.trim().split(/\s+/)[0] ?? '');
    return /\S\s+\S/.test(text) && programs.some((program) => program !== '' && isRunner(program)) ? [text] : [];
  });
}

/** The first word of a package runner that is code, or names input in place of a file. */
export function codeWord([, ...words]: readonly string[], { packages = {} }: Program): string | undefined {
  const { code, codeAfterRun } = packages;
  // "bun run -e x" is the same as "bun -e x".
  const [verb, option = ''] = words;
  if (verb === 'run' && codeAfterRun?.test(option)) return option;
  return words.find((word) => code?.test(word) === true);
}
