import { parseFileReference } from './fileReferences';

/** The info string of a code block. */
interface CodeInfo {
  /** In lower case: `ts`, `python`; from the file's extension if only a file is named; empty without either. */
  readonly language: string;
  /** The file of the code, as written. */
  readonly path?: string;
}

/** Attributes that name the file. */
const ATTRIBUTE = /(?:^|[\s{,])(?:title|file|filename|path)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s,}]+))/i;

/**
 * Parses an info string. CommonMark 0.31, 4.5 defines only its first word; supported are `ts`, `ts src/a.ts`,
 * `ts:src/a.ts`, `src/a.ts`, `12:20:src/a.ts`, `ts title="src/a.ts"`, `{.ts}`.
 */
export function codeInfo(info: string): CodeInfo {
  const text = info.slice(0, 500).trim();
  const attribute = ATTRIBUTE.exec(text);
  const named = attribute?.[1] ?? attribute?.[2] ?? attribute?.[3];
  const words = text.split(/\s+/);
  const path = named ?? pathIn(words);
  const first = words[0] ?? '';
  const word = /[\p{L}\p{N}_+#-]+/u.exec(first.split(':')[0] ?? '')?.[0] ?? '';
  const isPath = path !== undefined && first.startsWith(path);
  const language = isPath || /^\d*$/.test(word) || attribute?.index === 0 ? extensionOf(path ?? '') : word;
  return { language: language.toLowerCase().slice(0, 40), ...(path !== undefined && { path }) };
}

function pathIn(words: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    const afterColons = /^(?:\d+:\d+:|[\p{L}\p{N}_+#-]+:)(?=[^/\\])(.+)$/u.exec(word)?.[1];
    const reference = parseFileReference(afterColons ?? word);
    // The name of a language may contain a dot: `asp.net`.
    if (reference && (afterColons !== undefined || index > 0 || /[\\/]|\.\w{1,5}$/.test(reference.path)))
      return reference.path;
  }
  return undefined;
}

/** `ts` for `src/a.ts`; `dockerfile` for a file of that name; empty without an extension. */
export function extensionOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  return dot < 0 ? name : name.slice(dot + 1);
}
