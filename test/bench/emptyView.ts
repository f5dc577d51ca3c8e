import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from '../host/run.mjs';
import { installVsix } from '../host/server.mjs';

/** Title of the container of the extension's only view. */
export const EMPTY_TITLE = 'Empty';

const manifest = {
  name: 'empty',
  publisher: 'bench',
  version: '0.0.1',
  engines: { vscode: '^1.106.0' },
  main: './extension.js',
  contributes: {
    viewsContainers: { secondarySidebar: [{ id: 'empty', title: EMPTY_TITLE, icon: 'icon.svg' }] },
    views: { empty: [{ id: 'empty.view', name: EMPTY_TITLE, type: 'webview', icon: 'icon.svg' }] },
  },
};

/** A message box and nothing else, which has the focus when the page has it. */
const code = `const vscode = require('vscode');
const nonce = 'bench';
const html = \`<!DOCTYPE html><html><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-\${nonce}'"></head>
<body><textarea aria-label="Message"></textarea><script nonce="\${nonce}">
const box = document.querySelector('textarea');
window.addEventListener('focus', () => box.focus());
if (document.hasFocus()) box.focus();
</script></body></html>\`;
exports.activate = ({ subscriptions }) => {
  const resolveWebviewView = ({ webview }) => {
    webview.options = { enableScripts: true };
    webview.html = html;
  };
  subscriptions.push(vscode.window.registerWebviewViewProvider('empty.view', { resolveWebviewView }));
};
`;

const icon = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 4h16v16H4z"/></svg>';

/**
 * Packs and installs an extension with an empty webview view: the floor of what a view can be.
 * @param extensions the folder of installed extensions
 */
export async function installEmptyView(extensions: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-empty-'));
  try {
    await mkdir(join(folder, 'source'));
    const files = { 'package.json': JSON.stringify(manifest), 'extension.js': code, 'icon.svg': icon };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'source', name), text);
    const vsix = join(folder, 'empty.vsix');
    const vsce = join(process.cwd(), 'node_modules', '@vscode', 'vsce', 'vsce');
    const options = ['--no-dependencies', '--allow-missing-repository', '--skip-license', '-o', vsix];
    await must(process.execPath, [vsce, 'package', ...options], { cwd: join(folder, 'source') });
    await installVsix(vsix, extensions);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
