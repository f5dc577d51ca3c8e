import { computed, effect, signal } from '@preact/signals';
import { render } from 'preact';
import { defined } from '../../base/assert';
import { delegateClicks } from '../page/clickDelegation';
import { App } from './app';
import type { PageContext } from './pageContext';
import { DraftReporter, isNewer, storeDraft } from './draftMemory';
import { entryBeingEdited, sentKey, storeEdit } from './messageEditMemory';
import { PageHost } from '../page/pageHost';
import { playSound } from '../page/playSound';
import type { DraftState } from '../../shared/protocol/chatPageProtocol';
import type { ResendResult } from '../../shared/protocol/turnIntents';
import { ChatStore } from './chatStore';
import { applyTokenColors } from '../highlighting/tokenColors';
import { showInvisibleEverywhere } from '../page/showInvisible';

showInvisibleEverywhere();
const host = new PageHost();
window.addEventListener('error', (event) => host.report(event.error ?? event.message));
window.addEventListener('unhandledrejection', (event) => host.report(event.reason));

const store = new ChatStore(host.post, host.report);
const page: PageContext = {
  store,
  post: host.post,
  report: host.report,
  memory: { load: () => host.memory, save: (memory) => host.remember(memory) },
  editor: signal(host.memory.editor),
  editing: signal(undefined),
  drafts: new DraftReporter(host.post),
  focus: {},
  showing: (session) => (host.shown = session),
};
effect(() => host.remember({ ...host.memory, editor: page.editor.value }));
store.tools.open.value = host.memory.toolsOpen === true;
effect(() => host.remember({ ...host.memory, toolsOpen: store.tools.open.value }));
const blank = computed(() => store.entryCount.value === 0);
effect(() => {
  const shown = store.epoch.value === undefined ? undefined : store.state?.id;
  if (shown !== undefined) host.remember({ ...host.memory, session: { id: shown, blank: blank.value } });
});
window.addEventListener('focus', () => host.post({ type: 'focused' }));

host.onMessage((message) => {
  store.receive(message);
  if (message.type === 'focusComposer') page.focus.composer?.();
  if (message.type === 'playSound') void playSound(message.sound);
  if (message.type === 'fillComposer') page.focus.fill?.(message.session, message.text, message.remarks);
  if (message.type === 'showTools') store.tools.open.value = true;
  if (message.type === 'compose') page.focus.compose?.(message);
  if (message.type === 'insertText') page.focus.insert?.(message.text);
  if (message.type === 'mentions') page.focus.mentions?.(message.id, message.mentions);
  if (message.type === 'attach') (page.focus.attachHere ?? page.focus.attach)?.(message.attachments, message.remarks);
  if (message.type === 'sendRefused') page.focus.refused?.(message);
  if (message.type === 'resendEnded') endResend(message);
  if (message.type === 'draft') takeDraft(message);
  if (message.type === 'reveal') page.focus.reveal?.(message.entry, message.words);
});
effect(() => {
  const isShown = store.epoch.value !== undefined && store.state;
  page.editing.value = isShown ? entryBeingEdited(host.memory, isShown.id) : undefined;
});
effect(() => applyTokenColors(store.surroundings.value.tokens));
linkPlaces().catch(host.report);
delegateClicks(document, host.post);
render(<App page={page} />, defined(document.getElementById('root'), 'the element "root"'));
host.post({ type: 'ready' });

/** Loaded after the first render, like the Markdown parser. */
async function linkPlaces(): Promise<void> {
  const { fileLinks } = await import('./transcript/fileLinks');
  fileLinks.begin(host.post);
  host.onMessage((message) => {
    if (message.type === 'places') fileLinks.found(message);
  });
  effect(() => {
    if (store.epoch.value !== undefined) fileLinks.reset();
  });
  store.onApplied(({ actions }) => {
    if (actions.some(({ type }) => type === 'turnEnded')) fileLinks.again();
  });
}

/** An edit is kept until another session continues with it. */
function endResend(ended: ResendResult): void {
  const { session, entry, sent } = ended;
  if (sent !== true) return page.focus.resendEnded?.(ended);
  host.remember(storeEdit(host.memory, sentKey(session, entry), undefined));
  if (store.state?.id === session && page.editing.peek() === entry) page.editing.value = undefined;
}

/** A draft from another page, or an earlier instance of this one. */
function takeDraft({ session, text, attached, at }: { session: string } & DraftState): void {
  if (!isNewer(host.memory, { session, text, attached, at })) return;
  host.remember(storeDraft(host.memory, session, { text, attached, at }));
  page.focus.draft?.(session);
}
