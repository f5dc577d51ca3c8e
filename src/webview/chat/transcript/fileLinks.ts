import type { HostMessage, PageMessage } from '../../../shared/protocol/chatPageProtocol';
import { placeOf, findFileReferences } from '../../../shared/text/fileReferences';
import type { FileReference } from '../../../shared/text/fileReferences';

/** Paths asked for at once; the host takes no more. */
const MAX_ASKED = 200;
/** Elements that name a path that is not there, kept to be looked at again when a turn has ended. */
const MAX_UNRESOLVED = 300;
/** The page is never idle while an answer streams in fast; then places are looked for all the same. Milliseconds. */
const LONGEST_WAIT = 1000;

/** Elements in which nothing becomes a link. */
const OFF_LIMITS = 'a, pre, button, math, .code-header';
/** Nodes looked at between two looks at the clock. */
const PORTION = 20;

/** Makes links of the places in files that texts name, where the host knows the file. */
class PlaceLinks {
  #post: ((message: PageMessage) => void) | undefined;
  readonly #waiting: Element[] = [];
  /** By path as it stands in texts: the absolute one; undefined where there is none. */
  #known = new Map<string, string | undefined>();
  readonly #asked = new Set<string>();
  /** What was asked for together, in this session, and has no answer yet. */
  #requests: (readonly string[])[] = [];
  #toAsk = new Set<string>();
  /** Elements with paths that are asked for. */
  #pending = new Set<Element>();
  #unresolved: Element[] = [];
  #scheduled = false;
  /** What is being looked at: a table may have a hundred thousand cells. */
  #scanning: Generator<void> | undefined;

  /** From here on texts have links. */
  begin(post: (message: PageMessage) => void): void {
    this.#post = post;
  }

  /** A piece of text is complete: looked at when the page has nothing else to do. */
  add(element: Element): void {
    if (!this.#post) return;
    this.#waiting.push(element);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestIdleCallback((deadline) => this.#work(deadline), { timeout: LONGEST_WAIT });
  }

  /** What the host found. */
  found({ asked, found }: Extract<HostMessage, { type: 'places' }>): void {
    const key = String(asked);
    const at = this.#requests.findIndex((texts) => String(texts) === key);
    // What was asked for in the session before is not true here, also where a path of it is asked for here.
    if (at < 0) return;
    this.#requests.splice(at, 1);
    for (const text of asked) {
      this.#asked.delete(text);
      this.#known.set(text, undefined);
    }
    for (const { text, path } of found) if (this.#known.has(text)) this.#known.set(text, path);
    const pending = this.#pending;
    this.#pending = new Set();
    for (const element of pending) this.add(element);
  }

  /** Files may have been made since: what was not there is asked for again. */
  again(): void {
    const elements = this.#unresolved;
    this.#unresolved = [];
    for (const [text, path] of this.#known) if (path === undefined) this.#known.delete(text);
    for (const element of elements) if (element.isConnected) this.add(element);
  }

  /** Another session, with folders of its own. */
  reset(): void {
    this.#known = new Map();
    this.#asked.clear();
    this.#requests = [];
    this.#unresolved = [];
  }

  #work(deadline: IdleDeadline): void {
    this.#scheduled = false;
    do {
      this.#scanning ??= this.#next();
      if (this.#scanning?.next().done === true) this.#scanning = undefined;
    } while ((this.#scanning || this.#waiting.length > 0) && deadline.timeRemaining() >= 1);
    if (this.#scanning || this.#waiting.length > 0) this.#schedule();
    else this.#ask();
  }

  #next(): Generator<void> | undefined {
    const element = this.#waiting.shift();
    return element?.isConnected ? this.#scan(element) : undefined;
  }

  *#scan(element: Element): Generator<void> {
    const scan = { unresolved: false, pending: false };
    let count = 0;
    const nodes = placesToLook(element);
    for (let node = nodes.nextNode(); node;) {
      // Before the node is replaced.
      const next = nodes.nextNode();
      if (node instanceof Text) this.#linkText(node, scan);
      else if (node instanceof Element) this.#linkCode(node, scan);
      node = next;
      if (++count % PORTION === 0) yield;
    }
    if (scan.pending) this.#pending.add(element);
    if (!scan.unresolved) return;
    this.#unresolved.push(element);
    if (this.#unresolved.length > MAX_UNRESOLVED) this.#unresolved.shift();
  }

  #linkCode(code: Element, scan: Scan): void {
    const place = placeOf(code.textContent ?? '');
    const path = place && this.#resolved(place.path, scan);
    if (!place || path === undefined) return;
    const link = linkTo(path, place);
    code.replaceWith(link);
    link.append(code);
  }

  #linkText(node: Text, scan: Scan): void {
    const text = node.nodeValue ?? '';
    const parts: (Node | string)[] = [];
    let at = 0;
    for (const { start, end, place } of findFileReferences(text)) {
      const path = this.#resolved(place.path, scan);
      if (path === undefined) continue;
      const link = linkTo(path, place);
      link.textContent = text.slice(start, end);
      parts.push(text.slice(at, start), link);
      at = end;
    }
    if (at > 0) node.replaceWith(...parts, text.slice(at));
  }

  #resolved(path: string, scan: Scan): string | undefined {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    if (this.#known.has(path)) scan.unresolved = true;
    else {
      scan.pending = true;
      if (!this.#asked.has(path)) this.#toAsk.add(path);
    }
    return undefined;
  }

  #ask(): void {
    const texts = [...this.#toAsk];
    this.#toAsk = new Set();
    for (const text of texts) this.#asked.add(text);
    for (let at = 0; at < texts.length; at += MAX_ASKED) {
      const request = texts.slice(at, at + MAX_ASKED);
      this.#requests.push(request);
      this.#post?.({ type: 'findPlaces', texts: request });
    }
  }
}

interface Scan {
  /** A path in it is not there. */
  unresolved: boolean;
  /** A path in it is asked for. */
  pending: boolean;
}

/** The links of the page. */
export const fileLinks = new PlaceLinks();

function linkTo(path: string, { line, lastLine }: FileReference): HTMLElement {
  const link = document.createElement('a');
  link.className = 'place-link';
  link.setAttribute('role', 'link');
  link.tabIndex = 0;
  link.title = path;
  link.dataset['path'] = path;
  if (line !== undefined) link.dataset['line'] = String(line);
  if (lastLine !== undefined) link.dataset['lastLine'] = String(lastLine);
  return link;
}

/** Texts and inline code in an element, as far as they may become links. */
function placesToLook(element: Element): TreeWalker {
  const { FILTER_ACCEPT, FILTER_REJECT, FILTER_SKIP, SHOW_ELEMENT, SHOW_TEXT } = NodeFilter;
  return document.createTreeWalker(element, SHOW_ELEMENT | SHOW_TEXT, (node) => {
    if (!(node instanceof Element)) return node.parentElement?.localName === 'code' ? FILTER_REJECT : FILTER_ACCEPT;
    if (node.matches(OFF_LIMITS)) return FILTER_REJECT;
    return node.localName === 'code' ? FILTER_ACCEPT : FILTER_SKIP;
  });
}
