import type { Page } from 'playwright-core';
import type { AuditHostMessage, AuditPageMessage } from '../../../src/shared/protocol/auditPageProtocol';
import type { TrafficHostMessage, TrafficPageMessage } from '../../../src/shared/protocol/trafficPageProtocol';
import type { PageOptions, ThemeName } from '../harness';
import { ChatPage } from '../harness';
import { PanelPage } from '../panelPage';

/** A state of a page by name: pictures are made of it, and it is checked for accessibility and for clipped text. */
export type Scene = ChatScene | TrafficScene | AuditScene;

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

/** What can be done with every page, whatever it shows. */
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

/** Opens a page of this scene at rest: its fonts are loaded, and nothing waits to be drawn. */
export async function openScene(scene: Scene, options: PageOptions): Promise<ScenePage> {
  const page = await prepared(scene, { height: 1080, reducedMotion: true, ...scene.options, ...options });
  await page.frame();
  await page.page.evaluate(async () => {
    await document.fonts.ready;
    // An animation by the scroll position never ends.
    const timed = document.getAnimations().filter(({ timeline }) => timeline instanceof DocumentTimeline);
    const passing = timed.filter((one) => one.effect?.getTiming().iterations !== Infinity);
    await Promise.all(passing.map(({ finished }) => finished.catch(() => undefined)));
  });
  return page;
}

async function prepared(scene: Scene, options: PageOptions): Promise<ScenePage> {
  if (!('panel' in scene)) {
    const page = await ChatPage.with([], options);
    await scene.prepare(page);
    return page;
  }
  if (scene.panel === 'traffic') {
    const page = await PanelPage.open<TrafficHostMessage, TrafficPageMessage>({
      ...options,
      script: 'traffic',
      title: 'Parley Traffic',
    });
    await scene.prepare(page);
    return page;
  }
  const page = await PanelPage.open<AuditHostMessage, AuditPageMessage>({
    ...options,
    script: 'audit',
    title: 'Parley Audit Log',
  });
  await scene.prepare(page);
  return page;
}
