import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';

/*
 * The fonts of the tests' pages and pictures; test/page/themes names them. Widths of texts differ between the fonts that machines
 * have, and with them what fits into a line. Only scripts of which no test measures a text use installed fonts, as Chinese does.
 */

/** A font file as a page declares it: the arguments of `FontFace`. */
export interface Face {
  readonly family: string;
  /** Path of the URL. */
  readonly path: string;
  readonly weight: string;
  readonly style: string;
  readonly unicodeRange: string;
  /** Whether almost all pages show it. */
  readonly isCommon: boolean;
}

const ALL_CHARACTERS = 'U+0-10FFFF';
const COMMON_FILES = /noto-sans-latin-[4-7]00-normal|dejavu-mono-latin-400-normal/;

const fromRoot = createRequire(join(process.cwd(), 'package.json'));

/**
 * @param name Of a package of Fontsource.
 * @param variants Weight and style, as in names of its files.
 * @param ranges Subset of the package → its characters. DejaVu's package has one for all and calls it "latin".
 */
function readFaces(
  family: string,
  name: string,
  variants: readonly string[],
  ranges: readonly (readonly [subset: string, unicodeRange: string])[] = [['latin', ALL_CHARACTERS]],
): (readonly [Face, Buffer])[] {
  const folder = join(dirname(fromRoot.resolve(`@fontsource/${name}/package.json`)), 'files');
  return ranges.flatMap(([subset, unicodeRange]) =>
    variants.map((variant) => {
      const [weight = '', style = ''] = variant.split('-');
      const file = `${name}-${subset}-${variant}.woff2`;
      return [
        { family, path: `/fonts/${file}`, weight, style, unicodeRange, isCommon: COMMON_FILES.test(file) },
        readFileSync(join(folder, file)),
      ] as const;
    }),
  );
}

function readAll(): (readonly [Face, Buffer])[] {
  const ranges = fromRoot('@fontsource/noto-sans/unicode.json') as Readonly<Record<'latin' | 'latin-ext', string>>;
  const latin = [
    ['latin', ranges.latin],
    ['latin-ext', ranges['latin-ext']],
  ] as const;
  return [
    ...readFaces('Test Sans', 'noto-sans', ['400-normal', '600-normal', '700-normal', '400-italic'], latin),
    // All other letters and signs that the page shows.
    ...readFaces('Test Signs', 'dejavu-sans', ['400-normal', '700-normal']),
    ...readFaces('Test Mono', 'dejavu-mono', ['400-normal', '700-normal', '400-italic']),
  ];
}

export class TestFonts {
  readonly faces: readonly Face[];
  /** Path of the URL → content. */
  readonly files: ReadonlyMap<string, Buffer>;

  constructor() {
    const all = readAll();
    this.faces = all.map(([face]) => face);
    this.files = new Map(all.map(([{ path }, content]) => [path, content]));
  }
}

/**
 * Runs in the page before any script of the document: declares the fonts and starts to load the common ones. The first text in another one
 * loads it: each costs more than a millisecond of CPU.
 */
export function declareFonts(faces: readonly Face[]): void {
  for (const { family, path, isCommon, ...descriptors } of faces) {
    const face = new FontFace(family, `url("${window.location.origin}${path}")`, descriptors);
    document.fonts.add(face);
    // Whoever waits for the fonts gets the error.
    if (isCommon) face.load().catch(() => undefined);
  }
}

/** Waits until the document has all its fonts, also those that no text shows yet. */
export async function loadFonts(page: Page): Promise<void> {
  await page.evaluate(() => Promise.all([...document.fonts].map((face) => face.load().then(() => undefined))));
}
