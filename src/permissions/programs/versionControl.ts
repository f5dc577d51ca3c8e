import { programName } from './programNames';

/** Version control other than git, and build tools that write scripts which run later. */

const MERCURIAL =
  /^(?:update|up|checkout|co|goto|revert|merge|rebase|strip|purge|clean|graft|backout|import|unshelve|pull|clone)$/;
/** Verbs of version control that change the files of the working copy, as `git checkout` does. */
const CHANGES_TREE: ReadonlyMap<string, RegExp> = new Map([
  ['hg', MERCURIAL],
  ['chg', MERCURIAL],
  ['jj', /^(?:edit|abandon|restore|undo|rebase)$/],
  ['svn', /^(?:update|up|switch|sw|merge|revert|checkout|co|export|patch)$/],
  ['cvs', /^(?:update|up|checkout|co)$/],
]);

const GRADLE = /^(?:.*:)?wrapper$/;
const MAVEN = /^(?:.*:)?(?:maven-)?wrapper(?:-plugin)?(?::[\w.-]+)?:wrapper$/;
const UPGRADE = /^(?:-\w*[ui]\w*|--(?:upgrade|interactive)(?:=.*)?)$/;
/** Words with which they write `gradlew`, `mvnw` or `package.json`. */
const WRITES_SCRIPTS: ReadonlyMap<string, RegExp> = new Map([
  ['gradle', GRADLE],
  ['gradlew', GRADLE],
  ['mvn', MAVEN],
  ['mvnw', MAVEN],
  ['mvnd', MAVEN],
  ['ncu', UPGRADE],
  ['npm-check-updates', UPGRADE],
]);

/** Program and verb of a command that changes files which it does not name. */
export function workingCopyChange([program = '', ...words]: readonly string[], name: string): string | undefined {
  // Also of a script of the project: ./gradlew
  const tool = programName(program);
  const writing = words.find((word) => WRITES_SCRIPTS.get(tool)?.test(word));
  if (writing !== undefined) return `${tool} ${writing}`;
  const verb = words.find((word) => !word.startsWith('-')) ?? '';
  return CHANGES_TREE.get(name)?.test(verb) === true ? `${name} ${verb}` : undefined;
}
