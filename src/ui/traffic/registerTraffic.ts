import * as vscode from 'vscode';
import { TrafficConnections } from '../../agent/connection/trafficConnections';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import type { ExtensionInfo } from '../window';
import type { TrafficSettings } from './trafficFeed';
import { TrafficFiles } from './trafficFiles';
import { TrafficView } from './trafficView';

/** The traffic feature: recording, view, saving and replaying. */
export interface TrafficFeature extends Disposable {
  readonly connections: TrafficConnections;
  readonly files: TrafficFiles;
  readonly view: TrafficView;
}

export function registerTraffic(extension: ExtensionInfo, settings: TrafficSettings, log: Logger): TrafficFeature {
  const store = new DisposableStore();
  const connections = store.add(new TrafficConnections());
  const header = { parley: extension.version, editor: vscode.version, platform: process.platform };
  const replayScript = vscode.Uri.joinPath(extension.uri, 'dist', 'replay.js').fsPath;
  const files = store.add(new TrafficFiles(connections, header, replayScript));
  const view = store.add(new TrafficView(extension.uri, connections, files, settings, log));
  return { connections, files, view, dispose: () => store.dispose() };
}
