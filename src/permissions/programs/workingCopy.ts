import { programName } from './programNames';
import { programNamed } from './programTable';

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
