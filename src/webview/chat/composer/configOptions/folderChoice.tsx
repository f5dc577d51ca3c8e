import type { JSX } from 'preact';
import { t } from '../../../../base/l10n';
import { escapeInvisibleInline } from '../../../../base/untrustedText';
import type { PageFolders } from '../../../../shared/protocol/chatPageProtocol';
import type { SelectOption } from '../../../../shared/state/configOptionState';
import { folderLabel } from '../../../../shared/text/folderLabel';
import { Icon } from '../../../controls/icon';
import { usePage } from '../../pageContext';
import { Combobox } from './configOptionPickers';

/** The value of "Other Folder…". */
const OTHER = '';

/** The folder of the session: a combobox before the first message, then a chip. */
export function SessionFolder(): JSX.Element | null {
  const { store, post } = usePage();
  const { folders } = store.environment.value;
  const folder = store.folder.value;
  if (!folders || folder === undefined) return null;
  const branch = store.branch.value;
  const label = (path: string): string =>
    escapeInvisibleInline(path === folder && branch !== undefined ? branch : folderLabel(path, folders.roots));
  const icon = branch === undefined ? 'folder' : 'git-branch';
  if (store.entryCount.value > 0) return <FolderChip folder={folder} label={label(folder)} icon={icon} />;
  const choose = (value: string): void =>
    post(value === OTHER ? { type: 'chooseFolder' } : { type: 'chooseFolder', folder: value });
  return (
    <span class="session-folder">
      <Icon name={icon} />
      <Combobox option={folderOption(folder, folders, label)} onChoose={choose} />
    </span>
  );
}

function FolderChip({
  folder,
  label,
  icon,
}: {
  folder: string;
  label: string;
  icon: 'folder' | 'git-branch';
}): JSX.Element {
  return (
    <div class="chip" role="group" aria-label={t('Folder')} title={escapeInvisibleInline(folder)}>
      <Icon name={icon} />
      <bdi class="chip-name">{label}</bdi>
    </div>
  );
}

function folderOption(folder: string, { roots }: PageFolders, label: (path: string) => string): SelectOption {
  const paths = [...new Set([...roots.map(({ path }) => path), folder])];
  const choices = paths.map((path) => ({
    value: path,
    name: label(path),
    description: escapeInvisibleInline(path),
  }));
  const other = { value: OTHER, name: t('Other Folder…') };
  return {
    id: 'folder',
    kind: 'select',
    name: t('Folder'),
    source: 'config',
    category: 'folder',
    value: folder,
    groups: [{ choices: [...choices, other] }],
  };
}
