import type { Locator, Page } from 'playwright-core';
import type { TrafficHostMessage, TrafficPageMessage } from '../../src/shared/protocol/trafficPageProtocol';
import type { TrafficEntry } from '../../src/shared/traffic/trafficEntries';
import type { ThemeName } from './harness';
import { PanelPage } from './panelPage';

/** The traffic page, with the test as its host. */
export class TrafficPage {
  readonly #panel: PanelPage<TrafficHostMessage, TrafficPageMessage>;

  private constructor(panel: PanelPage<TrafficHostMessage, TrafficPageMessage>) {
    this.#panel = panel;
  }

  static async open(theme: ThemeName = 'dark'): Promise<TrafficPage> {
    return new TrafficPage(await PanelPage.open({ script: 'traffic', title: 'Parley Traffic', theme }));
  }

  get page(): Page {
    return this.#panel.page;
  }

  get errors(): readonly string[] {
    return this.#panel.errors;
  }

  post(message: TrafficHostMessage): Promise<void> {
    return this.#panel.post(message);
  }

  /** Entries of the only connection; `fresh` restarts it. */
  async show(entries: readonly TrafficEntry[], fresh = true): Promise<void> {
    const connections = [{ id: 1, title: 'Claude', status: 'ready' }];
    if (fresh) await this.post({ type: 'connections', connections, shown: 1, recording: true });
    await this.post({ type: 'entries', first: 0, fresh, entries });
  }

  /** Waits for the last message of this type. */
  sent(type: TrafficPageMessage['type']): Promise<TrafficPageMessage> {
    return this.#panel.sent(type);
  }

  violations(): Promise<string[]> {
    return this.#panel.violations();
  }

  get grid(): Locator {
    return this.page.getByRole('grid', { name: 'Messages' });
  }

  get detail(): Locator {
    return this.page.getByRole('region', { name: 'Message' });
  }

  close(): Promise<void> {
    return this.#panel.close();
  }
}
