import { basename } from 'node:path';
import { abilitiesOf } from './abilities';
import type { AgentLink } from './agents';

/**
 * What the person should know when the agent cannot see every folder of the workspace: those that are not on disk, and all but the
 * first where the agent takes only one (ACP: `additionalDirectories`).
 * @param virtual names of the workspace folders that are not on disk
 */
export function unseenFolders(
  link: AgentLink,
  folders: readonly string[],
  virtual: readonly string[],
): { readonly title: string; readonly text: string } | undefined {
  const { title } = link.definition;
  const [first, ...others] = folders;
  const sentences: string[] = [];
  if (virtual.length > 0) {
    sentences.push(
      `${quoted(virtual)} ${virtual.length > 1 ? 'are' : 'is'} not on this computer’s disk: agents work on files on disk only.`,
    );
  }
  if (first !== undefined && others.length > 0 && !abilitiesOf(link).additionalDirectories) {
    sentences.push(
      `It works in ${quoted([basename(first)])} and was not told of ${quoted(others.map((path) => basename(path)))}: it takes one folder only.`,
    );
  }
  return sentences.length === 0
    ? undefined
    : { title: `${title} does not see the whole workspace`, text: sentences.join(' ') };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `“${name}”`).join(', ');
}
