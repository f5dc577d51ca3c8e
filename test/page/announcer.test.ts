import assert from 'node:assert/strict';
import type { Action } from '../../src/shared/state/sessionActions';
import { ChatPage } from './harness';
import type { PageWindow } from './pageWindow';
import { NOON, midTurn } from './sample';

interface Heard {
  heard: string[];
}

/** Runs in the page: records everything that a screen reader would announce. */
function listen(): void {
  const heard: string[] = [];
  Object.assign(window, { heard });
  const regionOf = (node: Node): Element | null =>
    (node instanceof Element ? node : node.parentElement)?.closest(
      '[aria-live], [role=alert], [role=status], [role=log]',
    ) ?? null;
  const isLive = (region: Element): boolean => (region.getAttribute('aria-live') ?? 'polite') !== 'off';
  new MutationObserver((records) => {
    const regions = new Set<Element>();
    for (const { target, addedNodes } of records) {
      const added = [...addedNodes].flatMap((node) =>
        node instanceof Element ? [...node.querySelectorAll('[role=alert]')] : [],
      );
      const places = [regionOf(target), ...[...addedNodes].map(regionOf), ...added];
      for (const region of places) if (region && isLive(region)) regions.add(region);
    }
    for (const region of regions) {
      const text = region.textContent.trim();
      if (text !== '') heard.push(text);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}

describe('the announcer', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const heard = (): Promise<string[]> => chat.page.evaluate(() => (window as PageWindow<Heard>).heard);
  const later = (text: string, at = NOON): Action => ({ type: 'textAppended', role: 'agent', text, at });

  it('announces each message, request and end of a turn once, and nothing else', async () => {
    chat = await ChatPage.with([]);
    await chat.page.evaluate(listen);
    for (const action of midTurn(NOON)) await chat.act(action);
    const output: Action = { type: 'terminalOutput', terminalId: 'term-1', data: 'more\r\n' };
    await chat.act(output, { type: 'toolChanged', entry: 6, patch: { status: 'done' }, at: NOON });
    const answered: Action = {
      type: 'permissionAnswered',
      entry: 8,
      outcome: { type: 'selected', optionId: 'once', by: 'person' },
      at: NOON,
    };
    await chat.act(answered, later('All '), later('tests '));
    for (const word of ['pass', ' at ', 'last.']) await chat.act(later(word));
    await chat.act({ type: 'turnEnded', stopReason: 'end_turn', at: NOON + 1 });
    const spoken = await heard();
    assert.equal(spoken.length, 3, spoken.join('\n---\n'));
    assert.match(spoken[0] ?? '', /^The client throws on the first/);
    assert.equal(spoken[1], 'Waiting for you: Install a package');
    assert.equal(spoken[2], 'All tests pass at last.\nTurn finished');
  });

  it('announces a message without its Markdown', async () => {
    chat = await ChatPage.with([{ type: 'promptSent', text: 'go', blocks: [], at: NOON }]);
    await chat.page.evaluate(listen);
    const text = '## Result\n\n**Two** of `3` in [C#](docs/a.md):\n\n| a | b |\n| --- | :-: |\n| 1 - 2 | a_b |';
    await chat.act(later(text), { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 1 });
    const words = (await heard()).at(-1)?.split(/\s+/).join(' ');
    assert.equal(words, 'Result Two of 3 in C#: a b 1 - 2 a_b Turn finished');
  });

  it('announces an error once', async () => {
    chat = await ChatPage.with([{ type: 'promptSent', text: 'go', blocks: [], at: NOON }]);
    await chat.page.evaluate(listen);
    await chat.act({ type: 'errorShown', message: 'The model is overloaded.', remedies: ['retry'], at: NOON });
    await chat.act({ type: 'noticeShown', severity: 'info', title: 'Something else', at: NOON });
    const about = (await heard()).filter((text) => text.includes('overloaded'));
    assert.equal(about.length, 1, about.join('\n---\n'));
  });

  it('is the only live region beside alerts: tool and agent status are silent', async () => {
    chat = await ChatPage.with(midTurn(NOON));
    const live = await chat.page.evaluate(() =>
      [...document.querySelectorAll('[aria-live], [role=status], [role=log], output')]
        .filter((one) => one.getAttribute('aria-live') !== 'off')
        .map((one) => one.getAttribute('data-part') ?? one.outerHTML),
    );
    assert.deepEqual(live, ['announcer']);
  });
});
