/** Version control other than git. */

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

/** Program and verb of a command that changes files which it does not name. */
export function workingCopyChange([, ...words]: readonly string[], name: string): string | undefined {
  const verb = words.find((word) => !word.startsWith('-')) ?? '';
  return CHANGES_TREE.get(name)?.test(verb) === true ? `${name} ${verb}` : undefined;
}
