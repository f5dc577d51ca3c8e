import type { MarkdownOptions } from './markdownStream';
import { MarkdownStream } from './markdownStream';

/** Shows a finished text in `host` in one go; what comes out is what {@link MarkdownStream} makes of it. */
export function renderMarkdown(host: HTMLElement, text: string, options: MarkdownOptions = {}): void {
  const stream = new MarkdownStream(host, options);
  stream.push(text);
  stream.finish();
}
