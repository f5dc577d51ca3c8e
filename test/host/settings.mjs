// Settings of every VS Code that the scripts start.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** No telemetry, no updates, no welcome page, no built-in chat in the secondary side bar, which is for Parley. */
export const quietSettings = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  // Not false, which VS Code would replace in the file at each start. As a JSON document, that starts three extensions and a server.
  'extensions.autoUpdate': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'chat.disableAIFeatures': true,
  // VS Code opens this file at each start, even without these features: the same extensions and server.
  'files.associations': { 'chatLanguageModels.json': 'plaintext' },
  // Without a GPU, Chromium renders each frame of an animation on a core that the tests need. A test of motion sets its own value.
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  // The second TypeScript server only answers sooner while the first one loads a large project.
  'js/ts.tsserver.useSyntaxServer': 'never',
  // If a file becomes shorter while VS Code copies it to the local history, the copy and all later saves never end (a bug of libuv).
  'workbench.localHistory.enabled': false,
  // An agent's own loopback server is not an application of the user.
  'remote.autoForwardPorts': false,
  // Otherwise the extension host looks for ports of new processes every few seconds, in all processes of the machine.
  'remote.autoForwardPortsSource': 'output',
};

/** Writes settings.json to a profile folder ("User" or "Machine" below its data). */
export async function writeSettings(folder, settings) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'settings.json'), `${JSON.stringify(settings, undefined, 2)}\n`);
}

/** The current environment without the variables of an outer VS Code (in whose terminal this may run). */
export function desktopEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VSCODE|ELECTRON)_/.test(name)));
}
