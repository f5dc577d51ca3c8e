import { computed, effect, signal } from '@preact/signals';
import { render } from 'preact';
import { assertNever, assertDefined } from '../../base/assert';
import { Emitter } from '../../base/event';
import type { HostMessage, PageMessage } from '../../shared/protocol/chatPageProtocol';
import type { ResendResult } from '../../shared/protocol/turnIntents';
import { applyTokenColors } from '../highlighting/tokenColors';
import { delegateClicks } from '../page/clickDelegation';
import { DraftReporter, draftOf, isNewer, storeDraft } from '../page/draftMemory';
import { entryBeingEdited, sentKey, storeEdit } from '../page/messageEditMemory';
import { PageHost } from '../page/pageHost';
import { showInvisibleEverywhere } from '../page/showInvisible';
import { ChatApp } from './app';
import { ChatStore } from './chatStore';
import type { PageContext } from './pageContext';
import { PageEvents } from './pageContext';

showInvisibleEverywhere();
const host = new PageHost();
window.addEventListener('error', (event) => host.report(event.error ?? event.message));
window.addEventListener('unhandledrejection', (event) => host.report(event.reason));

/** What the page sends by itself, also while it shows a stored conversation, which may be out of date. */
const EARLY: ReadonlySet<PageMessage['type']> = new Set([
  'composing',
  'findCommands',
  'findMentions',
  'notificationPermission',
  'watchRace',
]);

const store = new ChatStore(host);
const root = assertDefined(document.getElementById('root'), 'the element "root"');
/** For mounted components. */
const hostMessages = new Emitter<HostMessage>();
const page: PageContext = {
  store,
  location: root.dataset['location'] === 'view' ? 'view' : 'editor',
  post: (message, session) => {
    if (!store.isProvisional.peek() || EARLY.has(message.type)) host.post(message, session);
  },
  report: host.report,
  memory: { load: () => host.memory, save: (memory) => host.remember(memory) },
  editor: signal(host.memory.editor),
  editing: signal(undefined),
  drafts: new DraftReporter(host.post),
  onHostMessage: hostMessages.event,
  events: new PageEvents(),
  attachTarget: signal(undefined),
  stick: signal(undefined),
  onDidShow: (session) => (host.shown = session),
};
const stored = host.memory.conversation;
if (stored?.build === import.meta.url) store.showStored(stored);
/** Milliseconds since 1970. */
const openedAt = Date.now();
/** Id of the session in which the user may type before the host has answered. */
const early = store.state?.id;
const waiting = host.onMessage((message) => {
  if (message.type !== 'snapshot') return;
  waiting.dispose();
  keepTyped(message.state.id);
});
effect(() => host.remember({ ...host.memory, editor: page.editor.value }));
const blank = computed(() => store.entryCount.value === 0);
const shownId = (): string | undefined => (store.epoch.value === undefined ? undefined : store.state?.id);
effect(() => {
  const shown = shownId();
  const preset = store.preset.value?.name;
  if (shown !== undefined) host.remember({ ...host.memory, session: { id: shown, blank: blank.value, preset } });
});
window.addEventListener('focus', () => host.post({ type: 'focused' }));

host.onMessage((message) => {
  switch (message.type) {
    case 'snapshot':
    case 'actions':
    case 'environment':
    case 'tools':
      // The store handles them.
      return undefined;
    case 'playSound':
      return void import('../page/playSound').then((module) => module.playSound(message.sound)).catch(host.report);
    case 'showTools':
      return void (store.tools.open.value = message.shown);
    case 'notice':
      store.notice.value = message.notice;
      return undefined;
    case 'resendEnded':
      return endResend(message);
    case 'draft':
      return takeDraft(message);
    case 'find':
    case 'focusComposer':
    case 'insertText':
    case 'reveal':
      return showInChat(() => fireInPage(message));
    case 'fillComposer':
    case 'compose':
    case 'attach':
    case 'sendRefused':
      return showInChat(() => hostMessages.fire(message));
    case 'quoteSelection':
      return void import('./quoteSelection').then((module) => module.quoteSelection(page)).catch(host.report);
    case 'race':
    case 'mentions':
    case 'places':
    case 'sendDraft':
    case 'showNotification':
      return hostMessages.fire(message);
    default:
      return assertNever(message);
  }
});
effect(() => {
  const shown = shownId();
  page.editing.value = shown === undefined ? undefined : entryBeingEdited(host.memory, shown);
});
effect(() => {
  if (store.tools.open.value) page.toolsOpener = document.activeElement;
});
effect(() => {
  const { tokens, diagrams } = store.environment.value;
  applyTokenColors(tokens);
  document.documentElement.classList.toggle('draws-diagrams', diagrams === true);
});
linkFileReferences().catch(host.report);
void import('./storedConversation')
  .then((module) => module.storeConversation(store, page.memory, import.meta.url))
  .catch(host.report);
void import('./showNotifications').then((module) => module.showNotifications(page)).catch(host.report);
delegateClicks(document, page.post);
watchFocus().catch(host.report);
render(<ChatApp page={page} />, root);
host.post({ type: 'ready' });

/** Text typed before the host answered goes to the session that it shows. */
function keepTyped(shown: string): void {
  const typed = early === undefined || early === shown ? undefined : draftOf(host.memory, early);
  if (!typed || (typed.at ?? 0) < openedAt) return;
  const { text, attached } = draftOf(host.memory, shown);
  const both = [text, typed.text].filter((each) => each !== '').join('\n');
  const draft = { text: both, attached: [...attached, ...typed.attached], at: Date.now() };
  host.remember(storeDraft(host.memory, shown, draft));
}

/** Loaded after the first render, like the Markdown parser. */
async function linkFileReferences(): Promise<void> {
  const { fileLinks } = await import('../markdown/fileLinks');
  fileLinks.enable(host.post);
  page.onHostMessage((message) => {
    if (message.type === 'places') fileLinks.handleAnswer(message);
  });
  effect(() => {
    if (store.epoch.value !== undefined) fileLinks.reset();
  });
  store.onApplied(({ actions }) => {
    if (actions.some(({ type }) => type === 'turnEnded')) fileLinks.retry();
  });
}

async function watchFocus(): Promise<void> {
  const { keepFocus } = await import('./keepFocus');
  keepFocus(root, () => page.events.focusComposer.fire());
}

/** What parts of the page tell each other, too. */
function fireInPage(message: Extract<HostMessage, { type: 'find' | 'focusComposer' | 'insertText' | 'reveal' }>): void {
  const { find, focusComposer, insertText, reveal } = page.events;
  if (message.type === 'find') find.fire();
  else if (message.type === 'focusComposer') focusComposer.fire();
  else if (message.type === 'insertText') insertText.fire(message.text);
  else reveal.fire(message);
}

/** Closes the Tools panel first: elements that it covers cannot get the focus. */
function showInChat(show: () => void): void {
  if (!store.tools.open.peek()) return show();
  store.tools.open.value = false;
  // Runs after the panel was removed from the document, in the microtask that the line above has queued.
  queueMicrotask(show);
}

/** The edit stays stored until another session continues with it. */
function endResend(ended: ResendResult): void {
  const { session, entry, sent } = ended;
  if (sent !== true) return hostMessages.fire(ended);
  host.remember(storeEdit(host.memory, sentKey(session, entry), undefined));
  if (store.state?.id === session && page.editing.peek() === entry) page.editing.value = undefined;
}

/** A draft from another page, or an earlier instance of this one. */
function takeDraft(message: Extract<HostMessage, { type: 'draft' }>): void {
  const { session, text, attached, at } = message;
  if (!isNewer(host.memory, message)) return;
  host.remember(storeDraft(host.memory, session, { text, attached, at }));
  hostMessages.fire(message);
}
