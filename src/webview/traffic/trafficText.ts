import { asObject, asString } from '../../base/json';
import { formatFixed, t } from '../../base/l10n';
import { truncate } from '../../base/text';
import type { TrafficRow } from '../../shared/traffic/trafficEntries';
import { entryText } from '../../shared/traffic/trafficEntries';

/** `14:03:07.120` */
export function timeOf(at: number): string {
  const time = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
  return `${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

export function durationOf(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '';
  if (milliseconds < 1_000) return t('{0} ms', milliseconds);
  return t('{0} s', formatFixed(milliseconds / 1_000, milliseconds < 10_000 ? 2 : 1));
}

export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return t('{0} B', bytes);
  return bytes < 1_000_000
    ? t('{0} kB', formatFixed(bytes / 1_000, 1))
    : t('{0} MB', formatFixed(bytes / 1_000_000, 1));
}

export function directionOf({ entry }: TrafficRow): string {
  return entry.dir === 'in' ? t('received') : t('sent');
}

/** The text of a row in the column of methods. */
export function methodLabel({ kind, method }: TrafficRow): string {
  if (kind === 'noise') return t('invalid stdout line');
  if (kind === 'cut') return t('message too large');
  return method ?? kind;
}

const MAX_SUMMARY_CHARS = 200;

/** The detail that distinguishes a message from others of its method. */
export function rowSummary(row: TrafficRow): string {
  const { kind, entry, error } = row;
  if (error !== undefined) return error;
  if (!('message' in entry)) return truncate(entryText(entry), MAX_SUMMARY_CHARS);
  const message = asObject(entry.message);
  const params = asObject(message?.['params']);
  const update = asString(asObject(params?.['update'])?.['sessionUpdate']);
  if (update !== undefined) return update;
  const stopReason = asString(asObject(message?.['result'])?.['stopReason']);
  return stopReason ?? (kind === 'response' ? 'result' : kind);
}
