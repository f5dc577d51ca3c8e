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
  const { folders } = store.surroundings.value;
  const folder = store.folder.value;
  if (!folders || folder === undefined) return null;
  if (store.entryCount.value > 0) return <FolderChip folder={folder} folders={folders} />;
  const choose = (value: string): void =>
    post(value === OTHER ? { type: 'chooseFolder' } : { type: 'chooseFolder', folder: value });
  return (
    <span class="session-folder">
      <Icon name="folder" />
      <Combobox selector={folderOption(folder, folders)} onChoose={choose} />
    </span>
  );
}

function FolderChip({ folder, folders }: { readonly folder: string; readonly folders: PageFolders }): JSX.Element {
  return (
    <div class="chip" role="group" aria-label={t('Folder')} title={escapeInvisibleInline(folder)}>
      <Icon name="folder" />
      <bdi class="chip-name">{escapeInvisibleInline(folderLabel(folder, folders.roots))}</bdi>
    </div>
  );
}

function folderOption(folder: string, { roots }: PageFolders): SelectOption {
  const paths = [...new Set([...roots.map(({ path }) => path), folder])];
  const choices = paths.map((path) => ({
    value: path,
    name: escapeInvisibleInline(folderLabel(path, roots)),
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
