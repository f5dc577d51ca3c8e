import { render } from 'preact';
import type { VNode } from 'preact';
import { assertDefined } from '../../base/assert';
import type { MessageTypes } from './pageHost';
import { openHost } from './pageHost';
import { showInvisibleEverywhere } from './showInvisible';

/**
 * Renders a page other than the chat, writes its errors to the extension's log, and asks the host for data.
 * @param types all message types
 */
export function startPage<In extends { readonly type: string }>(
  types: MessageTypes<In>,
  receive: (message: In) => void,
  view: (post: (message: { readonly type: string }) => void) => VNode,
): void {
  showInvisibleEverywhere();
  const post = openHost<In>(types, receive);
  const report = (error: unknown): void => {
    const failure = {
      type: 'pageError',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
    post(failure);
  };
  window.addEventListener('error', (event) => report(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => report(event.reason));
  render(view(post), assertDefined(document.getElementById('root'), 'the element "root"'));
  post({ type: 'ready' });
}
