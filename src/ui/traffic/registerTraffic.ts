import * as vscode from 'vscode';
import { TrafficConnections } from '../../agent/connection/trafficConnections';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { TrafficSettings } from './trafficFeed';
import { TrafficFiles } from './trafficFiles';
import { TrafficView } from './trafficView';

interface TrafficToolOptions {
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
  /** Parley's version. */
  readonly version: string;
  readonly settings: TrafficSettings;
  readonly newChat: (agentName: string) => Promise<void>;
}

/** The traffic feature: recording, view, saving and replaying. */
export interface TrafficFeature extends Disposable {
  readonly connections: TrafficConnections;
  readonly files: TrafficFiles;
  readonly view: TrafficView;
}

export function registerTraffic(options: TrafficToolOptions): TrafficFeature {
  const { extensionUri, log, settings } = options;
  const store = new DisposableStore();
  const connections = store.add(new TrafficConnections());
  const header = { parley: options.version, editor: vscode.version, platform: process.platform };
  const replayScript = vscode.Uri.joinPath(extensionUri, 'dist', 'replay.js').fsPath;
  const files = new TrafficFiles(connections, header, replayScript, options.newChat);
  const view = store.add(new TrafficView({ extensionUri, connections, files, log, settings }));
  return { connections, files, view, dispose: () => store.dispose() };
}
