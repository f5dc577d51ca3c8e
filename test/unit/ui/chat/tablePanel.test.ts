import { resetStub } from '../vscodeStub';
import { extensionUri, panels, resetWebviews } from '../webviewStub';
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Uri } from 'vscode';
import { openTablePanel, showTablePage } from '../../../../src/ui/chat/tablePanel';

describe('ui/chat/tablePanel', () => {
  beforeEach(() => {
    resetStub();
    resetWebviews();
  });

  for (const page of ['traffic', 'audit', 'races'] as const) {
    it(`opens the ${page} in a tab with an icon, and reads only existing files`, () => {
      const uri = extensionUri as Uri;
      const opened = openTablePanel('x', 'Tab');
      const [panel] = panels;
      assert.equal(panel?.title, 'Tab');
      assert.equal(panel.webview.html, '');
      showTablePage(opened, uri, page, 'Document');
      assert.match(panel.webview.html, /<title>Document<\/title>/);
      const asked = [...panel.webview.html.matchAll(/\/ext\/(media\/[^"]+|dist\/webview\/[^"]+)/g)].map(
        ([, path]) => path,
      );
      assert.deepEqual(asked, ['dist/webview/tables.css', `dist/webview/${page}.js`]);
      const icons = [panel.iconPath?.light.path, panel.iconPath?.dark.path].map((path) => path?.replace('/ext/', ''));
      assert.deepEqual(icons, [`media/tab/${page}-light.svg`, `media/tab/${page}-dark.svg`]);
      assert.deepEqual(
        [...asked, ...icons].filter((path) => !existsSync(path ?? '')),
        [],
      );
    });
  }
});
