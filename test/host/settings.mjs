// Settings of every VS Code that is started here.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** No telemetry, no updates, no welcome page, no built-in chat in the secondary side bar: that bar is Parley's. */
export const quietSettings = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'chat.disableAIFeatures': true,
  // Without a GPU, Chromium draws each frame of an animation on a core that the tests need. A test of motion sets its own value.
  'workbench.reduceMotion': 'on',
  // An agent's own loopback server is no application of the person's.
  'remote.autoForwardPorts': false,
};

/** Writes the settings.json of a profile's folder ("User" or "Machine" below its data). */
export async function writeSettings(folder, settings) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'settings.json'), `${JSON.stringify(settings, undefined, 2)}\n`);
}

/** Our own environment without what an outer VS Code (in whose terminal we may run) has put there for itself. */
export function desktopEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VSCODE|ELECTRON)_/.test(name)));
}
