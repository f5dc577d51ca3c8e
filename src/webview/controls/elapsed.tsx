import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { formatDuration } from '../../shared/text/formatDuration';

let timer: ReturnType<typeof setInterval> | undefined;

/** The current time, updated once a second and only while observed: an idle page costs nothing. */
const now = signal(Date.now(), {
  watched() {
    this.value = Date.now();
    timer = setInterval(() => (this.value = Date.now()), 1000);
  },
  unwatched() {
    clearInterval(timer);
  },
});

/** A duration; updates every second until `until` is set. */
export function Elapsed({ since, until }: { since: number; until?: number | undefined }): JSX.Element {
  return until === undefined ? <Running since={since} /> : <span class="elapsed">{formatDuration(until - since)}</span>;
}

function Running({ since }: { since: number }): JSX.Element {
  return <span class="elapsed">{formatDuration(now.value - since)}</span>;
}
