import { t } from '../../base/l10n';
import type { ReadOnlyDocuments } from '../../workbench/virtualDocuments';
import { showWarningMessage } from '../../workbench/windowMessages';

/** Maximum lines (of about 60 characters) that a dialog shows completely; longer texts are shown in an editor. */
const MAX_LINES = 24;
const LINE_CHARS = 60;

/** Content of a workspace that the user must see completely before it is run or reached. */
interface ConfirmationDetails {
  readonly message: string;
  /** The commands and URLs that would be run or reached. */
  readonly lines: readonly string[];
  readonly notes: readonly string[];
  /** The user allowed an earlier content of this subject. */
  readonly isChanged: boolean;
  readonly yes: string;
  readonly no: string;
  /** Title of the editor tab for a text too long for a dialog. */
  readonly tab: string;
}

/** Shows the full text and asks; no part of it is hidden. */
export async function confirmInFull(documents: ReadOnlyDocuments, details: ConfirmationDetails): Promise<boolean> {
  return fits(details.lines) ? askInDialog(details) : askInEditor(documents, details);
}

async function askInDialog({ message, lines, notes, isChanged, yes }: ConfirmationDetails): Promise<boolean> {
  const changed = isChanged ? [t('The definition has changed since you allowed it.'), ''] : [];
  const detail = [...changed, ...lines, '', ...notes].join('\n');
  return (await showWarningMessage(message, { modal: true, detail }, yes)) === yes;
}

/** A dialog would hide the end of a long text. */
async function askInEditor(documents: ReadOnlyDocuments, details: ConfirmationDetails): Promise<boolean> {
  const { message, lines, notes, yes, no, tab } = details;
  const show = t('Show All');
  const detail = t(
    'The definition is too long for this dialog ({0} characters). Review it in the editor before you decide.',
    lines.join('\n').length,
  );
  if ((await showWarningMessage(message, { modal: true, detail }, show)) !== show) return false;
  await documents.show(`${tab}.txt`, [...lines, '', ...notes].join('\n'));
  const sentence = t('{0} The editor shows the full definition.', message);
  return (await showWarningMessage(sentence, yes, no)) === yes;
}

function fits(lines: readonly string[]): boolean {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE_CHARS)), 0) <= MAX_LINES;
}
