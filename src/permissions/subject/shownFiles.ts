import { resolve } from 'node:path';
import { realPathNames } from '../../node/fs/realPaths';
import type { ShownCall } from '../../shared/state/toolCallState';
import type { RuleRequest } from '../rules/ruleRequest';
import { wholeReads } from './toolSubject';

/** A change of one file, as a diff shows it. */
export interface ShownChange {
  /** All absolute names of the file. */
  readonly paths: readonly string[];
  /** Empty for a new file; else the whole text, or the part that is replaced. */
  readonly oldText: string;
  readonly newText: string;
}

type Texts = Omit<ShownChange, 'paths'> & { readonly path: string };

interface Place {
  readonly cwd: string;
  /** Of the workspace, absolute. */
  readonly folders: readonly string[];
}

/** What a request of the agent showed of files, with all absolute names of each. */
export function shownFiles(
  call: ShownCall,
  { hasUnresolved }: Pick<RuleRequest, 'hasUnresolved'>,
  { cwd, folders }: Place,
  textsOf: (diffId: string) => Texts | undefined,
): { readonly changes: readonly ShownChange[]; readonly reads: readonly string[] } {
  const namesOf = (path: string): readonly string[] => realPathNames(resolve(cwd, path), folders);
  const changes = call.content.flatMap((content) => {
    const texts = content.type === 'diff' ? textsOf(content.diffId) : undefined;
    return texts ? [{ ...texts, paths: namesOf(texts.path) }] : [];
  });
  // Of too many files, looking up each would block the extension host.
  return { changes, reads: hasUnresolved ? [] : wholeReads(call).flatMap(namesOf) };
}
