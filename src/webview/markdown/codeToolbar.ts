import { t } from '../../base/l10n';
import type { CodeAction } from '../chat/transcript/codeBlockActions';

/**
 * The toolbar of a code block: one tab stop (WAI-ARIA toolbar). Clicks are delegated (`codeBlockActions.ts`), so that a
 * block needs no listener.
 */
export function codeToolbar(): HTMLElement {
  const toolbar = document.createElement('div');
  toolbar.className = 'code-actions';
  toolbar.setAttribute('role', 'toolbar');
  toolbar.setAttribute('aria-label', t('Code'));
  toolbar.append(
    button('copy', 'copy', t('Copy')),
    button('insert', 'insert', t('Insert at Cursor')),
    button('apply', 'git-pull-request-go-to-changes', t('Apply to File')),
    button('open', 'new-file', t('Open in Editor')),
    button('wrap', 'word-wrap', t('Wrap Lines')),
  );
  toolbar.lastElementChild?.setAttribute('aria-pressed', 'false');
  for (const each of Array.from(toolbar.children).slice(1)) each.setAttribute('tabindex', '-1');
  return toolbar;
}

function button(action: CodeAction, icon: string, label: string): HTMLElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = 'icon-button';
  element.dataset['action'] = action;
  element.setAttribute('aria-label', label);
  element.title = label;
  const sign = document.createElement('i');
  sign.className = `codicon codicon-${icon}`;
  sign.setAttribute('aria-hidden', 'true');
  element.append(sign);
  return element;
}
