import type { PageMessage } from '../shared/messages';

type Post = (message: PageMessage) => void;

/** One listener for everything that rendered text and places in the code can do when activated. */
export function listenToClicks(root: Document, post: Post): void {
  root.addEventListener('click', (event) => {
    if (!(event.target instanceof Element)) return;
    const intent = intentOf(event.target);
    if (!intent) return;
    event.preventDefault();
    post(intent);
  });
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.defaultPrevented || !(event.target instanceof HTMLAnchorElement)) return;
    const intent = intentOf(event.target);
    if (!intent) return;
    event.preventDefault();
    post(intent);
  });
}

function intentOf(target: Element): PageMessage | undefined {
  const active = target.closest<HTMLElement>('[data-href], [data-path], [data-action="copy"]');
  if (!active) return undefined;
  const { href, path, line } = active.dataset;
  if (href !== undefined) return { type: 'openLink', href };
  if (path !== undefined) return { type: 'openFile', path, ...(line !== undefined && { line: Number(line) }) };
  const code = active.closest('.code-block')?.querySelector('code');
  return code ? { type: 'copy', text: code.textContent ?? '' } : undefined;
}
