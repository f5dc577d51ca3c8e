import type { TrafficEntry } from '../traffic/trafficEntries';

/** Messages between the extension host and the traffic page. */

export interface ConnectionItem {
  readonly id: number;
  readonly title: string;
  /** A displayed status: "ready", "exited", … */
  readonly status: string;
}

export type TrafficHostMessage =
  /** `shown` is the connection whose entries follow; undefined when there is none. */
  | {
      readonly type: 'connections';
      readonly connections: readonly ConnectionItem[];
      readonly shown: number | undefined;
      readonly recording: boolean;
    }
  /** New entries. Entries before `first` were dropped; `fresh` starts with the first entry of a connection. */
  | {
      readonly type: 'entries';
      readonly first: number;
      readonly fresh: boolean;
      readonly entries: readonly TrafficEntry[];
    };

export type TrafficPageMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'choose'; readonly id: number }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'save' }
  | { readonly type: 'pageError'; readonly message: string };
