import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Frame } from 'playwright-core';
import { chooseRow } from '../e2e/steps';
import type { Workbench } from '../e2e/workbench';
import { fakeAgentPath } from '../fakeAgent/definition';
import { installVsix } from '../host/server.mjs';
import { eventually } from '../kit/waiting';
import { endDrawn, lastTextDrawn } from './floods';
import { lastWord } from './sample';

/** Title of a command in the palette, and the row to choose in the quick pick that it shows. */
export interface Step {
  readonly command: string;
  readonly choose?: string;
}

/** How the bench drives an ACP client. For a peer, the content of the file that --peer-options names. */
export interface ClientOptions {
  /** Its settings, with the agent: "${node}" and "${agent}" become the absolute paths of its command and its argument. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Show its chat, ready for a message. */
  readonly open: readonly Step[];
  /** Open the agent's session "load 2,000 updates" once the agent runs. Without them it is not measured. */
  readonly load?: readonly Step[];
  /** Selector of its message box, which sends on Enter. */
  readonly box?: string;
  /** Text at the end of its chat once a flood is shown. Markdown, so in one element. */
  readonly text?: string;
}

export interface Client extends ClientOptions {
  readonly name: string;
  /** Folder in which it is installed; undefined for Parley. */
  readonly extensions?: string;
  /** Runs in the page. Resolves with the time (`Date.now()`) at which the end of a flood is rendered. */
  readonly ended: (text: string) => Promise<number>;
}

export const parley: Client = {
  name: 'Parley',
  settings: {
    'parley.agents': { Flood: { command: '${node}', args: ['${agent}'] } },
    'parley.defaultAgent': 'Flood',
  },
  open: [{ command: 'Parley: Focus on Chat View' }],
  load: [{ command: 'Parley: Open Session', choose: 'load 2,000 updates' }],
  box: 'role=textbox[name="Message"]',
  ended: endDrawn,
};

/**
 * Installs another client to measure it in the same run.
 * @param options a JSON file with `ClientOptions`
 */
export async function installPeer(vsix: string, options: string, extensions: string): Promise<Client> {
  const read = JSON.parse(await readFile(options, 'utf8')) as Partial<ClientOptions>;
  const { settings, open } = read;
  if (!settings || !open) throw new Error(`${options} must have "settings" and "open".`);
  await installVsix(vsix, extensions);
  return { ...read, settings, open, name: basename(vsix, '.vsix'), extensions, ended: lastTextDrawn };
}

export function settingsOf({ settings }: ClientOptions): Record<string, unknown> {
  const agent = join(dirname(fakeAgentPath()), '..', 'bench', 'floodAgent.js');
  const paths: Readonly<Record<string, string>> = { '${node}': process.execPath, '${agent}': agent };
  const replaced = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? (paths[value] ?? value) : value;
  return JSON.parse(JSON.stringify(settings), replaced) as Record<string, unknown>;
}

export function lastTextOf({ text = lastWord }: ClientOptions): string {
  return text;
}

export async function runSteps(workbench: Workbench, steps: readonly Step[]): Promise<void> {
  for (const { command, choose } of steps) {
    await workbench.runCommand(command);
    if (choose !== undefined) await chooseRow(workbench.page, choose);
  }
}

/** Waits for the frame with the client's message box, which is in a webview. */
export async function frameOf({ page }: Workbench, box: string): Promise<Frame> {
  return eventually(async () => {
    for (const frame of page.frames()) {
      if (frame === page.mainFrame()) continue;
      const isShown = await frame
        .locator(box)
        .first()
        .isVisible()
        .catch(() => false);
      if (isShown) return frame;
    }
    throw new Error(`No webview shows a message box (${box}).`);
  });
}
