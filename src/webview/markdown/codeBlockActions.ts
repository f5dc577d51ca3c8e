import type { PageMessage } from '../../shared/protocol/chatPageProtocol';

/** Actions of a code block, run by the toolbar in its header (`markdown/codeBlock.ts`). */

/** Values of `data-action`. */
export type CodeAction = 'copy' | 'insert' | 'apply' | 'open' | 'diagram' | 'wrap';

/** Milliseconds for which a button shows its success. */
const DONE_SHOWN_MS = 1500;
/** Files that are offered for a code block. */
const MAX_LINKS = 20;

/** Handles a click in the toolbar in the page; returns a message if the host must act. */
export function handleCodeAction(target: Element): PageMessage | undefined {
  const pressed = target.closest<HTMLElement>('[data-action]');
  const block = pressed?.closest<HTMLElement>('.code-block');
  if (!pressed || !block) return undefined;
  const code = block.querySelector('code')?.textContent ?? '';
  const info = block.dataset['info'] ?? '';
  switch (pressed.dataset['action'] as CodeAction | undefined) {
    case 'copy':
      showDone(pressed);
      return { type: 'copy', text: code };
    case 'insert':
      return { type: 'insertCode', code };
    case 'apply':
      return { type: 'applyCode', code, info, links: linkedFiles(block) };
    case 'open':
      return { type: 'openCode', code, info };
    case 'diagram':
      return { type: 'showDiagram', code };
    case 'wrap':
      pressed.setAttribute('aria-pressed', String(block.classList.toggle('wrapped')));
      return undefined;
    case undefined:
      return undefined;
  }
  return undefined;
}

/** Paths of the files that the block's message links to. */
function linkedFiles(block: Element): string[] {
  const links = block.closest('article')?.querySelectorAll<HTMLElement>('[data-path]') ?? [];
  return [...new Set(Array.from(links, ({ dataset }) => dataset['path'] ?? ''))].slice(0, MAX_LINKS);
}

/** Handles arrow keys, Home and End within the toolbar; returns whether it did. */
export function moveInToolbar(event: KeyboardEvent): boolean {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return false;
  const buttons = [...(target.closest('.code-actions')?.children ?? [])].filter((each) => each.checkVisibility());
  const at = buttons.indexOf(target);
  if (at < 0) return false;
  const moves: Readonly<Record<string, number>> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
  const to = moves[key];
  const next = to === undefined ? undefined : buttons.at(to % buttons.length);
  if (!(next instanceof HTMLElement)) return false;
  for (const each of buttons) each.setAttribute('tabindex', each === next ? '0' : '-1');
  next.focus();
  return true;
}

function showDone(pressed: HTMLElement): void {
  const sign = pressed.querySelector('.codicon-copy');
  if (!sign) return;
  sign.classList.replace('codicon-copy', 'codicon-check');
  setTimeout(() => sign.classList.replace('codicon-check', 'codicon-copy'), DONE_SHOWN_MS);
}
