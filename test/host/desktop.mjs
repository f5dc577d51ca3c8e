// Finds a desktop VS Code and a display to run it on.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onPath, reason } from './run.mjs';

/** Milliseconds without data after which the download of VS Code is canceled. */
const downloadTimeout = 8_000;

/** Install locations of the program itself (not its command-line script, which returns immediately). */
const usualPlaces = {
  linux: ['/usr/share/code/code', '/usr/lib/code/code', '/opt/visual-studio-code/code'],
  darwin: [
    '/Applications/Visual Studio Code.app/Contents/MacOS/Code',
    '/Applications/Visual Studio Code.app/Contents/MacOS/Electron',
  ],
  win32: [process.env.LOCALAPPDATA && join(process.env.LOCALAPPDATA, 'Programs', 'Microsoft VS Code', 'Code.exe')],
};

/**
 * Chooses by VSCODE_TEST_HOST (desktop, server, auto; auto is the default) and by what this machine has.
 * @returns {Promise<{ executable: string, display: string[] } | { reason: string }>}
 *   `display`: a command to put in front of the program (xvfb-run), or nothing; `reason`: why no desktop VS Code is used
 */
export async function findDesktop() {
  const wanted = process.env.VSCODE_TEST_HOST || 'auto';
  if (!['desktop', 'server', 'auto'].includes(wanted)) {
    throw new Error(`VSCODE_TEST_HOST is "${wanted}"; it may be "desktop", "server" or "auto".`);
  }
  if (wanted === 'server') return { reason: 'VSCODE_TEST_HOST=server' };
  const found = await lookForDesktop();
  if (wanted === 'desktop' && found.reason) throw new Error(`VSCODE_TEST_HOST=desktop, but ${found.reason}.`);
  return found;
}

async function lookForDesktop() {
  const display = findDisplay();
  if (!display) return { reason: 'there is no display (DISPLAY, WAYLAND_DISPLAY) and no xvfb-run' };
  const named = process.env.VSCODE_EXECUTABLE_PATH;
  if (named)
    return existsSync(named)
      ? { executable: named, display }
      : { reason: `VSCODE_EXECUTABLE_PATH names ${named}, which does not exist` };
  const installed = (usualPlaces[process.platform] ?? []).find((place) => place && existsSync(place));
  if (installed && !process.env.VSCODE_TEST_VERSION) return { executable: installed, display };
  try {
    const { downloadAndUnzipVSCode } = await import('@vscode/test-electron');
    const version = process.env.VSCODE_TEST_VERSION || 'stable';
    return { executable: await downloadAndUnzipVSCode({ version, timeout: downloadTimeout }), display };
  } catch (error) {
    return {
      reason: `no VS Code is installed and none could be downloaded (${reason(error)})`,
    };
  }
}

function findDisplay() {
  if (process.platform !== 'linux') return [];
  if (process.env.DISPLAY || process.env.WAYLAND_DISPLAY) return [];
  const xvfb = onPath('xvfb-run');
  return xvfb ? [xvfb, '--auto-servernum'] : undefined;
}

/** Whether a window opened on this machine would be visible to a user. */
export function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}
