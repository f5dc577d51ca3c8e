import { basename } from 'node:path';
import { t } from '../../base/l10n';
import { isInside } from '../../node/fs/realPaths';
import { capabilitiesOf } from './sessionCapabilities';
import type { SharedAgent } from './sharedAgent';

/**
 * Warns when the agent cannot see every workspace folder: virtual ones, and all but the session's where it supports only one (ACP:
 * `additionalDirectories`).
 * @param virtual names of the virtual workspace folders
 */
export function unsupportedFolders(
  link: SharedAgent,
  cwd: string,
  folders: readonly string[],
  virtual: readonly string[],
): { readonly title: string; readonly text: string } | undefined {
  const { title } = link.definition;
  const others = folders.filter((folder) => !isInside(folder, cwd));
  const sentences: string[] = [];
  if (virtual.length > 0) {
    sentences.push(
      virtual.length > 1
        ? t('{0} are not on this computer’s disk. Agents work only with files on disk.', quote(virtual))
        : t('{0} is not on this computer’s disk. Agents work only with files on disk.', quote(virtual)),
    );
  }
  if (others.length > 0 && !capabilitiesOf(link).additionalDirectories) {
    sentences.push(
      t(
        'The agent supports only one folder. It uses {0}, not {1}.',
        quote([basename(cwd)]),
        quote(others.map((path) => basename(path))),
      ),
    );
  }
  return sentences.length === 0
    ? undefined
    : { title: t('Part of the workspace is not available to {0}', title), text: sentences.join(' ') };
}

function quote(names: readonly string[]): string {
  return names.map((name) => `“${name}”`).join(', ');
}
