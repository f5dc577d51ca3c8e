import { showInformationMessage, showWarningMessage } from './windowMessages';

/** The result of a user action. */
export interface Notice {
  readonly text: string;
  /** What was skipped, with the reason; one line each. */
  readonly details?: readonly string[];
  readonly isWarning?: boolean;
  /** The label is for example "Redo". `run` never rejects. */
  readonly button?: { readonly label: string; readonly run: () => Promise<void> };
  /** Not worth a notification where no chat is visible. */
  readonly isOnlyInChat?: boolean;
}

/**
 * Shows the result of an action in the chat, or as a notification while the chat is not visible; `undefined` only removes the result of the
 * action before.
 *
 * @param sessionId the chat; without it the visible one
 */
export type ShowNotice = (notice: Notice | undefined, sessionId?: string) => void;

/** Not awaited: a notification may stay for long. */
export function showNotification(notice: Notice | undefined): void {
  if (notice && notice.isOnlyInChat !== true) void showNotice(notice);
}

async function showNotice({ text, details = [], isWarning, button }: Notice): Promise<void> {
  const sentence = [text, ...details].join(' ');
  const buttons = button ? [button.label] : [];
  const answer = await (isWarning === true ? showWarningMessage : showInformationMessage)(sentence, ...buttons);
  if (button && answer === button.label) await button.run();
}
