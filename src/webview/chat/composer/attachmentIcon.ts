import { assertNever } from '../../../base/assert';
import type { Attachment } from '../../../shared/state/attachments';

export function attachmentIcon(attachment: Attachment): string {
  const { kind } = attachment;
  switch (kind) {
    case 'file':
    case 'active':
      return 'file';
    case 'folder':
      return 'folder';
    case 'lines':
      return 'symbol-snippet';
    case 'problems':
      return 'warning';
    case 'changes':
      return 'git-compare';
    case 'session':
      return 'comment-discussion';
    case 'resource':
      return 'mcp';
    case 'text':
      return 'note';
    case 'data':
      return dataIcon(attachment.mimeType);
    default:
      return assertNever(kind);
  }
}

function dataIcon(mimeType: string): string {
  if (mimeType.startsWith('image/')) return 'file-media';
  return mimeType.startsWith('audio/') ? 'unmute' : 'file-binary';
}

/** The last path segment; the tooltip and the button's name have the full path. */
export function baseName({ kind }: Attachment, name: string): string {
  const hasPath = kind === 'file' || kind === 'folder' || kind === 'lines' || kind === 'active';
  return hasPath ? name.slice(name.lastIndexOf('/') + 1) || name : name;
}
