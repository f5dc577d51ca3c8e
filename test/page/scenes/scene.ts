import type { Page } from 'playwright-core';
import type { AuditHostMessage, AuditPageMessage } from '../../../src/shared/protocol/auditPageProtocol';
import type { RaceHostMessage, RacePageMessage } from '../../../src/shared/protocol/racePageProtocol';
import type { TrafficHostMessage, TrafficPageMessage } from '../../../src/shared/protocol/trafficPageProtocol';
import type { PageOptions, ThemeName } from '../harness';
import { ChatPage } from '../harness';
import { PanelPage } from '../panelPage';

/** A named state of a page: used for screenshots, accessibility checks and checks for clipped text. */
export type Scene = ChatScene | TrafficScene | AuditScene | RaceScene;

/** Of the chat. */
export interface ChatScene {
  readonly name: string;
  readonly options?: PageOptions;
  readonly prepare: (page: ChatPage) => Promise<void>;
}

/** Of the traffic inspector. */
export interface TrafficScene {
  readonly name: string;
  readonly panel: 'traffic';
  readonly options?: PageOptions;
  readonly prepare: (page: PanelPage<TrafficHostMessage, TrafficPageMessage>) => Promise<void>;
}

/** Of the audit log. */
export interface AuditScene {
  readonly name: string;
  readonly panel: 'audit';
  readonly options?: PageOptions;
  readonly prepare: (page: PanelPage<AuditHostMessage, AuditPageMessage>) => Promise<void>;
}

/** Of the board of the races. */
export interface RaceScene {
  readonly name: string;
  readonly panel: 'races';
  readonly options?: PageOptions;
  readonly prepare: (page: PanelPage<RaceHostMessage, RacePageMessage>) => Promise<void>;
}

/** Operations common to all pages. */
export interface ScenePage {
  readonly page: Page;
  frame(): Promise<void>;
  setTheme(theme: ThemeName): Promise<void>;
  close(): Promise<void>;
}

/** A scene of the chat for each entry of a table of preparations. */
export function scenesOf(table: Readonly<Record<string, ChatScene['prepare']>>): ChatScene[] {
  return Object.entries(table).map(([name, prepare]) => ({ name, prepare }));
}

/**
 * Opens a page of this scene and waits until it is stable: fonts are loaded, and nothing waits to be rendered. The page is joined to one
 * file: it looks the same, and other tests check how it loads.
 */
export async function openScene(scene: Scene, options: PageOptions): Promise<ScenePage> {
  const page = await prepared(scene, {
    height: 1080,
    reducedMotion: true,
    isJoined: true,
    ...scene.options,
    ...options,
  });
  await page.frame();
  await page.page.evaluate(async () => {
    await document.fonts.ready;
    // An animation driven by the scroll position never ends.
    const timed = document.getAnimations().filter(({ timeline }) => timeline instanceof DocumentTimeline);
    const passing = timed.filter((one) => one.effect?.getTiming().iterations !== Infinity);
    await Promise.all(passing.map(({ finished }) => finished.catch(() => undefined)));
  });
  return page;
}

function prepared(scene: Scene, options: PageOptions): Promise<ScenePage> {
  if (!('panel' in scene)) return preparedChat(scene, options);
  if (scene.panel === 'traffic') return preparedPanel(scene, options, 'Parley Traffic');
  if (scene.panel === 'races') return preparedPanel(scene, options, 'Parley Races');
  return preparedPanel(scene, options, 'Parley Audit Log');
}

async function preparedChat(scene: ChatScene, options: PageOptions): Promise<ScenePage> {
  const page = await ChatPage.with([], options);
  await scene.prepare(page);
  return page;
}

async function preparedPanel<In extends { readonly type: string }, Out extends { readonly type: string }>(
  scene: { readonly panel: string; readonly prepare: (page: PanelPage<In, Out>) => Promise<void> },
  options: PageOptions,
  title: string,
): Promise<ScenePage> {
  const page = await PanelPage.open<In, Out>({ ...options, script: scene.panel, title });
  await scene.prepare(page);
  return page;
}
