import { basename } from 'node:path';
import { t } from '../../base/l10n';
import { capabilitiesOf } from './sessionCapabilities';
import type { SharedAgent } from './agentPool';

/**
 * Warns when the agent cannot see every workspace folder: virtual ones, and all but the first where it supports only one (ACP:
 * `additionalDirectories`).
 * @param virtual names of the virtual workspace folders
 */
export function unsupportedFolders(
  link: SharedAgent,
  folders: readonly string[],
  virtual: readonly string[],
): { readonly title: string; readonly text: string } | undefined {
  const { title } = link.definition;
  const [first, ...others] = folders;
  const sentences: string[] = [];
  if (virtual.length > 0) {
    sentences.push(
      virtual.length > 1
        ? t('{0} are not on this computer’s disk: agents work on files on disk only.', quoted(virtual))
        : t('{0} is not on this computer’s disk: agents work on files on disk only.', quoted(virtual)),
    );
  }
  if (first !== undefined && others.length > 0 && !capabilitiesOf(link).additionalDirectories) {
    sentences.push(
      t(
        'It works in {0} and was not told of {1}: it takes one folder only.',
        quoted([basename(first)]),
        quoted(others.map((path) => basename(path))),
      ),
    );
  }
  return sentences.length === 0
    ? undefined
    : { title: t('{0} does not see the whole workspace', title), text: sentences.join(' ') };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `“${name}”`).join(', ');
}
