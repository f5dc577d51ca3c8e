import type { TrafficEntry } from '../traffic/trafficEntries';

/** What the extension host and the traffic page tell each other. */

export interface ConnectionItem {
  readonly id: number;
  readonly title: string;
  /** "ready", "exited", … as a word for the list. */
  readonly status: string;
}

export type TrafficHostMessage =
  /** `shown` is the connection whose entries follow; undefined while there is none. */
  | {
      readonly type: 'connections';
      readonly connections: readonly ConnectionItem[];
      readonly shown: number | undefined;
      readonly recording: boolean;
    }
  /** Entries that are new. What is before `first` is not kept any more; `fresh` begins a connection from its start. */
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
