/** Puts a text into the box with the caret at `at`. The box has the text only with the next render, the caret has to be there at once. */
export function placeCaret(box: HTMLTextAreaElement, text: string, at: number): void {
  box.value = text;
  box.focus();
  box.setSelectionRange(at, at);
}
