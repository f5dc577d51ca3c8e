/**
 * Maximum bytes of one line or message of an agent; longer ones are dropped (the ACP SDK's own limit is 32 MiB and ends the connection).
 */
export const LINE_LIMIT = 64 * 1024 * 1024;

/**
 * Bytes from which a line is dropped if it has too many values: parsing 60 MiB takes a tenth of a second for one string,
 * but a million small values take seconds.
 */
export const DENSE_LINE_BYTES = 1024 * 1024;
export const MAX_VALUES = 250_000;
