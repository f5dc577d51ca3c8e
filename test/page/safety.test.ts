import assert from 'node:assert/strict';
import type { Action } from '../../src/shared/state/sessionActions';
import { ChatPage } from './harness';
import { NOON } from './sample';

/** Attacks by an agent, or by a file that it read. Marked with what would be visible if they worked. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror="alert(2)">',
  '<svg onload="alert(3)"><script>alert(4)</script></svg>',
  '<svg><a xlink:href="javascript:alert(5)"><text>x</text></a></svg>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(6)>',
  '<iframe src="https://evil.test/"></iframe>',
  '<iframe srcdoc="<script>parent.alert(7)</script>"></iframe>',
  '<style>body { background: url(https://evil.test/a.png) }</style>',
  '<link rel="stylesheet" href="https://evil.test/a.css">',
  '<meta http-equiv="refresh" content="0;url=https://evil.test/">',
  '<base href="https://evil.test/">',
  '<form action="https://evil.test/"><button>Send</button></form>',
  '<a href="javascript:alert(8)">x</a> <a href="command:workbench.action.quit">y</a>',
  '[a](javascript:alert(9)) [b](command:workbench.action.quit) [c](data:text/html,<script>alert(10)</script>)',
  '[d](vscode://x/y) [e](https://evil.test/" onmouseover="alert(11))',
  '![remote](https://evil.test/pixel.png) ![e](javascript:alert(12))',
  '![x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxMyk8L3NjcmlwdD4=)',
  '![svg](data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciPjxzY3JpcHQ+YWxlcnQoMTQpPC9zY3JpcHQ+PC9zdmc+)',
  '<div style="position:fixed;inset:0" onclick="alert(15)" id="root" name="app">cover</div>',
  '<input autofocus onfocus=alert(16)><details open ontoggle=alert(17)>',
  '```"><script>alert(18)</script>\n<script>alert(19)</script>\n```',
  '| <img src=x onerror=alert(20)> | b |\n| - | - |\n| <svg/onload=alert(21)> | c |',
  '`<img src=x onerror=alert(22)>`',
];

const at = NOON;

/** Under the policy of the extension, the page loads its parts. */
const AS_SHIPPED = { isJoined: false };

describe('safety', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  async function isHarmless(): Promise<void> {
    await chat.page.evaluate(async () => {
      const loading = [...document.images].filter((image) => !image.complete);
      await Promise.all(
        loading.map(
          (image) =>
            new Promise((done) => {
              image.addEventListener('load', done);
              image.addEventListener('error', done);
            }),
        ),
      );
    });
    assert.deepEqual(chat.dialogs, []);
    assert.deepEqual(chat.strangers, []);
    assert.deepEqual(chat.pageErrors, []);
    const found = await chat.page.evaluate(() => {
      const bad = [...document.querySelectorAll('#root *')].filter(
        (element) =>
          element.matches(
            'script, iframe, object, embed, link, meta, base, form, style, svg, math, input, [href], [style]',
          ) || [...element.attributes].some((attribute) => /^on|^srcdoc$/i.test(attribute.name)),
      );
      return bad.map((element) => element.outerHTML.slice(0, 200));
    });
    assert.deepEqual(found, []);
    assert.equal(chat.page.url(), chat.url);
  }

  it('shows hostile Markdown as text: streamed by single characters, in chunks, and whole', async () => {
    const text = HOSTILE.join('\n\n');
    const streamed: Action[] = Array.from(text, (character) => ({
      type: 'textAppended',
      role: 'agent',
      text: character,
      at,
    }));
    chat = await ChatPage.with([{ type: 'promptSent', text, blocks: [], at }], AS_SHIPPED);
    await chat.act(...streamed);
    await chat.act({ type: 'textAppended', role: 'thought', text, at });
    await isHarmless();
    await chat.act({ type: 'turnEnded', stopReason: 'end_turn', at });
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    await isHarmless();
    assert.deepEqual(await chat.violations(), []);
  });

  it('shows hostile names, titles, paths, commands, outputs and values as text', async () => {
    const evil = '<img src=x onerror="alert(1)">\u202e';
    const value = { [evil]: HOSTILE };
    chat = await ChatPage.with(
      [
        { type: 'agentNamed', agent: { name: evil, title: evil } },
        { type: 'titleChanged', title: evil },
        { type: 'promptSent', text: evil, blocks: [{ type: 'link', uri: 'javascript:alert(2)', name: evil }], at },
        { type: 'terminalCreated', terminalId: 't', command: evil, at },
        {
          type: 'terminalOutput',
          terminalId: 't',
          data: `${evil}\u001b]8;;javascript:alert(3)\u0007link\u001b]8;;\u0007\r\n`,
        },
        {
          type: 'toolStarted',
          toolCallId: 't',
          at,
          patch: {
            title: evil,
            status: 'failed',
            rawInput: value,
            rawOutput: evil,
            locations: [{ path: evil, label: evil }],
            content: [
              { type: 'terminal', terminalId: 't' },
              { type: 'block', block: { type: 'text', text: HOSTILE.join('\n\n') } },
            ],
          },
        },
        {
          type: 'permissionAsked',
          permissionId: 'p',
          tool: 1,
          title: evil,
          why: evil,
          at,
          options: [{ optionId: evil, name: evil, kind: 'allow_once' }],
        },
        { type: 'planChanged', items: [{ content: evil, priority: evil, status: 'pending' }] },
        { type: 'noticeShown', severity: 'info', title: evil, text: evil, at },
        { type: 'errorShown', message: evil, detail: evil, remedies: [], at },
        { type: 'rawReceived', label: evil, value, at },
      ],
      AS_SHIPPED,
    );
    await isHarmless();
    assert.deepEqual(await chat.violations(), []);
  });

  it('passes links to the host unchanged, and does not navigate', async () => {
    chat = await ChatPage.with(
      [
        { type: 'promptSent', text: 'go', blocks: [], at },
        { type: 'textAppended', role: 'agent', text: '[quit](command:workbench.action.quit)', at },
      ],
      AS_SHIPPED,
    );
    await chat.page.getByText('quit').click();
    const [intent] = await chat.intents();
    assert.ok(intent === undefined || intent.type === 'openLink');
    assert.equal(chat.page.url(), chat.url);
  });
});
