// The browser of the tests: the system's Chromium, driven by playwright-core, which downloads nothing.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from './run.mjs';

/** Prefers the headless shell, which needs a fifth less CPU. */
const chromiumNames = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];
const chromiumPlaces = {
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  win32: [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA]
    .filter(Boolean)
    .map((folder) => join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe')),
};

/** Path of Chromium or Chrome: CHROMIUM_PATH, else PATH, else the usual locations. */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named && !existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, which does not exist.`);
  const places = chromiumPlaces[process.platform] ?? [];
  return named || onPath(...chromiumNames) || places.find((place) => existsSync(place));
}

/** No first-run pages and no background requests. Root cannot use the sandbox; only our own pages are loaded. */
const flags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/**
 * For tests, not for measurements. A window of VS Code lives for seconds or minutes, a document of a page test for less than one:
 * optimized code costs more than it saves, and the start fills the small first space for new objects again and again.
 */
export const flagForTests = '--js-flags=--no-opt --no-maglev --min-semi-space-size=64 --max-semi-space-size=64';

/**
 * Starts Chromium without a window.
 * @param {string[]} more Further flags.
 * @throws With advice if none is installed.
 */
export async function launchChromium(more = []) {
  const { chromium, executablePath } = await chromiumToLaunch();
  return chromium.launch({ executablePath, args: [...flags, ...more] });
}

/**
 * With streaming, Chromium compiles VS Code's page again for each window, before it finds the compiled one. With RenderDocument, it makes
 * new frames for a document in a page that has one, a fifth of what a document of the page tests costs. The option replaces Playwright's
 * own list; the others are those of it that matter here.
 */
export const disabledFeatures = `--disable-features=${[
  'RenderDocument',
  'ScriptStreaming',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
].join(',')}`;

/**
 * Starts Chromium with a profile folder, which stores loaded files and compiled code. The pages of a site share one process,
 * in which VS Code's page is compiled once.
 * @param {string} profile Folder.
 * @param {string[]} more Further flags.
 */
export async function launchProfile(profile, more = []) {
  const { chromium, executablePath } = await chromiumToLaunch();
  const permissions = ['clipboard-read', 'clipboard-write'];
  const args = [...flags, '--process-per-site', disabledFeatures, ...more];
  return chromium.launchPersistentContext(profile, { executablePath, args, permissions });
}

/** @throws With advice if none is installed. */
export function requireChromium() {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('No Chromium found. Install one or name one in CHROMIUM_PATH.');
  return executablePath;
}

async function chromiumToLaunch() {
  const executablePath = requireChromium();
  const { chromium } = await import('playwright-core');
  return { chromium, executablePath };
}
