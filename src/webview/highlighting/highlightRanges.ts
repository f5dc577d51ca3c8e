import type { ThemedToken } from 'shiki/core';
import { tokenClass } from './codeHighlighter';

/** Colors text ranges, by highlight name (`::highlight(tok-keyword)` in media/chat/codeColors.css); the elements stay unchanged. */
export class TokenHighlights {
  readonly #ranges: [Highlight, StaticRange][] = [];

  /** Colors the tokens of a line; does nothing unless they match its text exactly. */
  add(line: Element, tokens: readonly ThemedToken[]): void {
    const nodes = textsOf(line);
    const text = nodes.map((node) => node.data).join('');
    if (tokens.map(({ content }) => content).join('') !== text) return;
    let at = 0;
    for (const token of tokens) {
      const [name] = tokenClass(token).split(' ');
      if (name) this.#mark(name, nodes, at, at + token.content.length);
      at += token.content.length;
    }
  }

  clear(): void {
    for (const [highlight, range] of this.#ranges) highlight.delete(range);
    this.#ranges.length = 0;
  }

  #mark(name: string, nodes: readonly Text[], start: number, end: number): void {
    const highlight = highlightOf(name);
    let from = 0;
    for (const node of nodes) {
      const to = from + node.length;
      if (start < to && end > from) {
        const range = new StaticRange({
          startContainer: node,
          startOffset: Math.max(0, start - from),
          endContainer: node,
          endOffset: Math.min(node.length, end - from),
        });
        highlight.add(range);
        this.#ranges.push([highlight, range]);
      }
      from = to;
    }
  }
}

function highlightOf(name: string): Highlight {
  const existing = CSS.highlights.get(name);
  if (existing) return existing;
  const made = new Highlight();
  CSS.highlights.set(name, made);
  return made;
}

function textsOf(line: Element): Text[] {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node instanceof Text) nodes.push(node);
  return nodes;
}
