import { crc32 } from 'node:zlib';

/** One frame of an animation. */
export interface Frame {
  /** PNG as the browser encodes it: not interlaced; all frames have the same size and color type. */
  readonly png: Buffer;
  /** Duration of the frame in milliseconds. */
  readonly delay: number;
}

const SIGNATURE_LENGTH = 8;

/**
 * Builds an animated PNG that repeats endlessly (PNG 3, "APNG").
 * @param still PNG of the same size, for viewers without animation.
 */
export function animatedPng(frames: readonly Frame[], still: Buffer): Buffer {
  const header = chunksOf(still).find(({ type }) => type === 'IHDR');
  if (!header) throw new Error('The still picture is no PNG.');
  let sequence = 0;
  const images = frames.flatMap(({ png, delay }) => {
    const control = chunk(
      'fcTL',
      numbers(sequence++),
      header.data.subarray(0, 8),
      numbers(0, 0),
      short(delay, 1000, 0),
    );
    return [control, ...pixelsOf(png).map((data) => chunk('fdAT', numbers(sequence++), data))];
  });
  const signature = still.subarray(0, SIGNATURE_LENGTH);
  // Without a preceding `fcTL`, the picture is not part of the animation.
  const pixels = pixelsOf(still).map((data) => chunk('IDAT', data));
  const control = chunk('acTL', numbers(frames.length, 0));
  return Buffer.concat([signature, chunk('IHDR', header.data), control, ...pixels, ...images, chunk('IEND')]);
}

function pixelsOf(png: Buffer): Buffer[] {
  return chunksOf(png)
    .filter(({ type }) => type === 'IDAT')
    .map(({ data }) => data);
}

function chunksOf(png: Buffer): { readonly type: string; readonly data: Buffer }[] {
  const found = [];
  for (let at = SIGNATURE_LENGTH; at < png.length;) {
    const length = png.readUInt32BE(at);
    found.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return found;
}

function chunk(type: string, ...parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))]);
}

function numbers(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value >>> 0, index * 4);
  return buffer;
}

function short(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value, index * 2);
  return buffer;
}
