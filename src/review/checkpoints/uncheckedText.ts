import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';

/**
 * Says that a change or turn that a crash has cut off could not be compared.
 * @param unread the folders, or the reason
 */
export function uncheckedText(unread: string): string {
  return t(
    'VS Code stopped while files were being restored or changed, and Parley cannot check them now: {0}. The next start in a trusted workspace with Git checks them again.',
    escapeInvisibleInline(unread),
  );
}
