import type { HostMessage, PageMessage } from '../../shared/protocol/chatPageProtocol';
import { parseFileReference, findFileReferences } from '../../shared/text/fileReferences';
import type { FileReference } from '../../shared/text/fileReferences';

/** Maximum number of paths in one request; the host accepts no more. */
const MAX_ASKED = 200;
/** Maximum number of elements with missing paths; they are checked again after each turn. */
const MAX_UNRESOLVED = 300;
/** Milliseconds after which the search runs even though the page is not idle, because a fast answer is streaming. */
const MAX_WAIT_MS = 1000;

/** Elements without links. */
const OFF_LIMITS = 'a, pre, button, .md-math, .md-math-source, .code-header';
/** Number of nodes between two time checks. */
const NODES_PER_SLICE = 20;

/** Turns references to existing files in texts into links. */
class FileLinks {
  #post: ((message: PageMessage) => void) | undefined;
  readonly #waiting: Element[] = [];
  /** Absolute path by path as written; undefined when the file does not exist. */
  #paths = new Map<string, string | undefined>();
  readonly #requested = new Set<string>();
  /** Unanswered requests of this session. */
  #requests: (readonly string[])[] = [];
  #toRequest = new Set<string>();
  /** Elements with requested paths. */
  #pending = new Set<Element>();
  #unresolved: Element[] = [];
  #isScheduled = false;
  /** The running search: a table may have a hundred thousand cells. */
  #scanning: Generator<void> | undefined;

  /** Enables links, also in the elements so far. */
  enable(post: (message: PageMessage) => void): void {
    this.#post = post;
    this.#schedule();
  }

  /** Searches a completed element when the page is idle. */
  add(element: Element): void {
    this.#waiting.push(element);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#post) return;
    this.#isScheduled = true;
    requestIdleCallback((deadline) => this.#work(deadline), { timeout: MAX_WAIT_MS });
  }

  /** Handles the host's answer. */
  handleAnswer({ asked, found }: Extract<HostMessage, { type: 'places' }>): void {
    const key = String(asked);
    const at = this.#requests.findIndex((texts) => String(texts) === key);
    // Answers for the previous session do not apply, even for the same path.
    if (at < 0) return;
    this.#requests.splice(at, 1);
    for (const text of asked) {
      this.#requested.delete(text);
      this.#paths.set(text, undefined);
    }
    for (const { text, path } of found) if (this.#paths.has(text)) this.#paths.set(text, path);
    const pending = this.#pending;
    this.#pending = new Set();
    for (const element of pending) this.add(element);
  }

  /** Requests missing paths again: the files may exist now. */
  retry(): void {
    const elements = this.#unresolved;
    this.#unresolved = [];
    for (const [text, path] of this.#paths) if (path === undefined) this.#paths.delete(text);
    for (const element of elements) if (element.isConnected) this.add(element);
  }

  /** For another session, with its own folders. */
  reset(): void {
    this.#paths = new Map();
    this.#requested.clear();
    this.#requests = [];
    this.#unresolved = [];
  }

  #work(deadline: IdleDeadline): void {
    this.#isScheduled = false;
    do {
      this.#scanning ??= this.#next();
      if (this.#scanning?.next().done === true) this.#scanning = undefined;
    } while ((this.#scanning || this.#waiting.length > 0) && deadline.timeRemaining() >= 1);
    if (this.#scanning || this.#waiting.length > 0) this.#schedule();
    else this.#sendRequests();
  }

  #next(): Generator<void> | undefined {
    const element = this.#waiting.shift();
    return element?.isConnected ? this.#scan(element) : undefined;
  }

  *#scan(element: Element): Generator<void> {
    const scan = { hasMissing: false, hasPending: false };
    let count = 0;
    const nodes = walkLinkableNodes(element);
    for (let node = nodes.nextNode(); node;) {
      // Advance before the node is replaced.
      const next = nodes.nextNode();
      if (node instanceof Text) this.#linkText(node, scan);
      else if (node instanceof Element) this.#linkCode(node, scan);
      node = next;
      if (++count % NODES_PER_SLICE === 0) yield;
    }
    if (scan.hasPending) this.#pending.add(element);
    if (!scan.hasMissing) return;
    this.#unresolved.push(element);
    if (this.#unresolved.length > MAX_UNRESOLVED) this.#unresolved.shift();
  }

  #linkCode(code: Element, scan: Scan): void {
    const reference = parseFileReference(code.textContent ?? '');
    const path = reference && this.#resolve(reference.path, scan);
    if (!reference || path === undefined) return;
    const link = linkTo(path, reference);
    code.replaceWith(link);
    link.append(code);
  }

  #linkText(node: Text, scan: Scan): void {
    const text = node.nodeValue ?? '';
    const parts: (Node | string)[] = [];
    let at = 0;
    for (const { start, end, file } of findFileReferences(text)) {
      const path = this.#resolve(file.path, scan);
      if (path === undefined) continue;
      const link = linkTo(path, file);
      link.textContent = text.slice(start, end);
      parts.push(text.slice(at, start), link);
      at = end;
    }
    if (at > 0) node.replaceWith(...parts, text.slice(at));
  }

  #resolve(written: string, scan: Scan): string | undefined {
    const path = this.#paths.get(written);
    if (path !== undefined) return path;
    if (this.#paths.has(written)) scan.hasMissing = true;
    else {
      scan.hasPending = true;
      if (!this.#requested.has(written)) this.#toRequest.add(written);
    }
    return undefined;
  }

  #sendRequests(): void {
    const texts = [...this.#toRequest];
    this.#toRequest = new Set();
    for (const text of texts) this.#requested.add(text);
    for (let at = 0; at < texts.length; at += MAX_ASKED) {
      const request = texts.slice(at, at + MAX_ASKED);
      this.#requests.push(request);
      this.#post?.({ type: 'findPlaces', texts: request });
    }
  }
}

interface Scan {
  /** Contains a missing path. */
  hasMissing: boolean;
  /** Contains a requested path. */
  hasPending: boolean;
}

export const fileLinks = new FileLinks();

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

/** Text nodes and inline code in an element that may become links. */
function walkLinkableNodes(element: Element): TreeWalker {
  const { FILTER_ACCEPT, FILTER_REJECT, FILTER_SKIP, SHOW_ELEMENT, SHOW_TEXT } = NodeFilter;
  return document.createTreeWalker(element, SHOW_ELEMENT | SHOW_TEXT, (node) => {
    if (!(node instanceof Element)) return node.parentElement?.localName === 'code' ? FILTER_REJECT : FILTER_ACCEPT;
    if (node.matches(OFF_LIMITS)) return FILTER_REJECT;
    return node.localName === 'code' ? FILTER_ACCEPT : FILTER_SKIP;
  });
}
