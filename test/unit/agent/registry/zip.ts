import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly data?: string | Uint8Array;
  /** Unix mode including the file type. */
  readonly mode?: number;
  /** The size in the headers. */
  readonly claimed?: number;
  readonly flags?: number;
}

/** Writes a zip file, possibly an invalid one: the library that reads zip files has no writer. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const data = Buffer.from(entry.data ?? '');
    const packed = deflateRawSync(data);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(entry.flags ?? 0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.claimed ?? data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const head = Buffer.concat([bytes(0x04034b50, 4), common, name, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([bytes(0x02014b50, 4), bytes((3 << 8) | 20, 2), common, tail, name]));
    local.push(head);
    offset += head.length;
  }
  const directory = Buffer.concat(central);
  const count = bytes(entries.length, 2);
  const end = [
    bytes(0x06054b50, 4),
    bytes(0, 4),
    count,
    count,
    bytes(directory.length, 4),
    bytes(offset, 4),
    bytes(0, 2),
  ];
  return Buffer.concat([...local, directory, ...end]);
}

function bytes(value: number, length: 2 | 4): Buffer {
  const buffer = Buffer.alloc(length);
  if (length === 2) buffer.writeUInt16LE(value);
  else buffer.writeUInt32LE(value);
  return buffer;
}
