import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { TrafficConnections } from '../../agent/traffic/trafficConnections';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { TrafficFiles } from './trafficFiles';
import type { TrafficSettings } from './trafficFeed';
import { TrafficView } from './trafficView';

interface TrafficToolOptions {
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
  /** Parley's version. */
  readonly version: string;
  readonly settings: TrafficSettings;
  readonly folders: () => readonly string[];
  readonly newChat: (agentName: string) => Promise<void>;
}

/** The traffic feature: recording, view, saving and replaying. */
export interface TrafficFeature extends Disposable {
  readonly connections: TrafficConnections;
  readonly files: TrafficFiles;
  readonly show: () => void;
  readonly save: () => Promise<void>;
  readonly replay: () => Promise<void>;
}

export function registerTraffic(options: TrafficToolOptions): TrafficFeature {
  const { extensionUri, log, settings } = options;
  const store = new DisposableStore();
  const connections = store.add(new TrafficConnections());
  const files = new TrafficFiles({
    connections,
    shown: () => view.shown,
    header: { parley: options.version, editor: vscode.version, platform: process.platform },
    folders: options.folders,
    home: homedir(),
    replayScript: vscode.Uri.joinPath(extensionUri, 'dist', 'replay.js').fsPath,
    newChat: options.newChat,
  });
  const view = store.add(
    new TrafficView({
      extensionUri,
      connections,
      log,
      settings,
      save: (connection) => files.save(connection),
    }),
  );
  return {
    connections,
    files,
    show: () => view.show(),
    save: () => files.save(),
    replay: () => files.replay(),
    dispose: () => store.dispose(),
  };
}
