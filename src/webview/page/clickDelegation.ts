import type { PageMessage } from '../../shared/protocol/chatPageProtocol';
import { handleCodeAction, moveInToolbar } from '../markdown/codeBlockActions';

type Post = (message: PageMessage) => void;

/** One listener for all actions of rendered text and file links. */
export function delegateClicks(root: Document, post: Post): void {
  root.addEventListener('click', (event) => {
    if (!(event.target instanceof Element)) return;
    const intent = intentOf(event.target);
    if (!intent) return;
    event.preventDefault();
    post(intent);
  });
  root.addEventListener('keydown', (event) => {
    if (moveInToolbar(event)) event.preventDefault();
    if (event.key !== 'Enter' || event.defaultPrevented || !(event.target instanceof HTMLAnchorElement)) return;
    const intent = intentOf(event.target);
    if (!intent) return;
    event.preventDefault();
    post(intent);
  });
}

function intentOf(target: Element): PageMessage | undefined {
  const active = target.closest<HTMLElement>('[data-href], [data-path], [data-action]');
  if (!active) return undefined;
  const { href, path, line, lastLine } = active.dataset;
  if (href !== undefined) return { type: 'openLink', href };
  if (path !== undefined) {
    const lines = {
      ...(line !== undefined && { line: Number(line) }),
      ...(lastLine && { lastLine: Number(lastLine) }),
    };
    return { type: 'openFile', path, ...lines };
  }
  return handleCodeAction(active);
}
