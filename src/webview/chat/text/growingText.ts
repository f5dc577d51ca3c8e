/** Receives a growing text. */
interface TextSink {
  /** Appends new text. */
  push(text: string): void;
  /** The earlier text is no longer a prefix of the current one. */
  restart(): void;
}

/**
 * Finds the new part of a mostly growing text. With the hint `appended` it does not read the text, so that the cost of a
 * chunk is independent of earlier text (I8): the engine joins strings without copying.
 */
export class GrowingText {
  #shown = '';

  constructor(private readonly sink: TextSink) {}

  follow(text: string, appended = ''): void {
    const before = this.#shown;
    if (text === before) return;
    this.#shown = text;
    if (appended !== '' && before.length + appended.length === text.length) {
      this.sink.push(appended);
    } else if (text.startsWith(before)) {
      this.sink.push(text.slice(before.length));
    } else {
      this.sink.restart();
      if (text !== '') this.sink.push(text);
    }
  }
}
