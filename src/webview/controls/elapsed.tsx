import type { JSX } from 'preact';
import { formatDuration } from '../../shared/text/formatDuration';
import { clock } from './elapsedClock';

/** A duration; updates every second until `until` is set. */
export function Elapsed({ since, until }: { since: number; until?: number | undefined }): JSX.Element {
  return until === undefined ? <Running since={since} /> : <span class="elapsed">{formatDuration(until - since)}</span>;
}

function Running({ since }: { since: number }): JSX.Element {
  return <span class="elapsed">{formatDuration(clock.value - since)}</span>;
}
