import type { FileUse } from './fileUse';
import { anyUse } from './fileUse';
import { archiveUse, movedLinks, useOf } from './operandUse';
import { readWords } from './options';
import { programName, programOf } from './programNames';
import { programNamed } from './programTable';
import { scriptUse } from './scripts';
import { subcommandUse } from './subcommands';

/** What a command does to files, by its words; undefined if Parley does not know that of its program. */
export function knownUse(argv: readonly string[]): FileUse | undefined {
  const program = programOf(argv);
  if (program?.subcommands) return subcommandUse(argv, program);
  if (program?.operands === undefined) return undefined;
  if (program.script !== undefined) return scriptUse(argv, program);
  if (program.listsWith !== undefined) return archiveUse(argv, program);
  const words = readWords(argv, program);
  const use = useOf(argv, program, words);
  return {
    ...use,
    ...(program.operands === 'copy' && movedLinks(argv, program, words)),
    unknown: [...use.unknown, ...(program.riskyWords?.(argv, words) ?? [])],
  };
}

/** Words that may be files, read or written. */
export function fileWords(argv: readonly string[]): Pick<FileUse, 'reads' | 'writes'> {
  const use = knownUse(argv);
  return use && use.unknown.length === 0 ? use : anyUse(argv);
}

/**
 * Program and verb of a command that changes files which it does not name: version control the working copy, build tools their scripts.
 * @param name of the program, empty for one of the project
 */
export function changedFiles([word = '', ...words]: readonly string[], name: string): string | undefined {
  // Also of a script of the project: ./gradlew
  const tool = programName(word);
  const { changesFilesWord } = programNamed(tool) ?? {};
  const writing = words.find((each) => changesFilesWord?.test(each));
  if (writing !== undefined) return `${tool} ${writing}`;
  const verb = words.find((each) => !each.startsWith('-')) ?? '';
  return programNamed(name)?.changesFilesVerb?.test(verb) ? `${name} ${verb}` : undefined;
}
