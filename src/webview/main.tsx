import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { defined } from '../base/assert';
import { listenToClicks } from './clicks';
import { App } from './components/app';
import type { PageContext } from './components/context';
import { PageHost } from './host';
import { playSound } from './sound';
import { Store } from './store';
import { showControlsEverywhere } from './visibleText';

showControlsEverywhere();
const host = new PageHost();
window.addEventListener('error', (event) => host.report(event.error ?? event.message));
window.addEventListener('unhandledrejection', (event) => host.report(event.reason));

const store = new Store(host.post, host.report);
const page: PageContext = {
  store,
  post: host.post,
  report: host.report,
  memory: { load: () => host.memory, save: (memory) => host.remember(memory) },
  editor: signal(host.memory.editor),
  focus: {},
};
effect(() => host.remember({ ...host.memory, editor: page.editor.value }));

host.onMessage((message) => {
  store.receive(message);
  if (message.type === 'focusComposer') page.focus.composer?.();
  if (message.type === 'playSound') void playSound(message.sound);
  if (message.type === 'fillComposer') page.focus.fill?.(message.session, message.text, message.remarks);
  if (message.type === 'showTools') store.tools.open.value = true;
  if (message.type === 'insertText') page.focus.insert?.(message.text);
  if (message.type === 'mentions') page.focus.mentions?.(message.id, message.mentions);
  if (message.type === 'attach') page.focus.attach?.(message.attachments, message.remarks);
  if (message.type === 'sendRefused') page.focus.refused?.(message);
  if (message.type === 'reveal') page.focus.reveal?.(message.entry);
});
listenToClicks(document, host.post);
render(<App page={page} />, defined(document.getElementById('root'), 'the element "root"'));
host.post({ type: 'ready' });
