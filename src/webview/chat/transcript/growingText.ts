/** Where text that grows is shown. */
export interface TextSink {
  /** Text that is new at the end. */
  push(text: string): void;
  /** What was shown is no longer the start of the text. */
  restart(): void;
}

/**
 * Finds what is new in a text that mostly grows. With the hint `grown` it does so without looking at the text, so that
 * the cost of a chunk does not depend on what came before (I8): joined strings stay ropes in the engine.
 */
export class GrowingText {
  #shown = '';
  readonly #sink: TextSink;

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  follow(text: string, grown = ''): void {
    const before = this.#shown;
    if (text === before) return;
    this.#shown = text;
    if (grown !== '' && before.length + grown.length === text.length) {
      this.#sink.push(grown);
    } else if (text.startsWith(before)) {
      this.#sink.push(text.slice(before.length));
    } else {
      this.#sink.restart();
      if (text !== '') this.#sink.push(text);
    }
  }
}
