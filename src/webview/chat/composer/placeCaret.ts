/** Sets text and caret of the box immediately; the next render would be too late for the caret. */
export function placeCaret(box: HTMLTextAreaElement, text: string, at: number): void {
  box.value = text;
  box.focus();
  box.setSelectionRange(at, at);
}
