import { existsSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { assertNever } from '../../src/base/assert';
import { themes } from './harness';

/**
 * The page as an SVG drawing with VS Code's theme variables as colors, so that it matches the page in every theme. Each variable
 * gets a unique color in the page; elements with that color use the variable's name in the drawing.
 */

type Piece =
  | { readonly kind: 'box'; readonly at: Box; readonly radius: number; readonly fill?: Paint; readonly stroke?: Paint }
  | { readonly kind: 'line'; readonly at: Box; readonly stroke: Paint }
  | { readonly kind: 'icon'; readonly at: Box; readonly name: string; readonly fill: Paint }
  | { readonly kind: 'text'; readonly at: Box; readonly text: string; readonly font: Font; readonly fill: Paint };

/** In CSS pixels. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A color as the browser computed it: `rgb(…)` or `color(srgb …)`. */
type Paint = string;

interface Font {
  readonly size: number;
  readonly weight: string;
  readonly mono: boolean;
  readonly italic: boolean;
}

/** Default fill of elements without their own. */
const TEXT = 'var(--vscode-foreground)';

/** The color variables of a theme, each with a unique color. */
const marks: ReadonlyMap<string, string> = new Map(
  Object.entries(themes.dark.variables)
    .filter(([, value]) => /^(?:#|rgb)/.test(value))
    // Far enough apart that rounding cannot mix them up.
    .map(([name], index) => [name, `rgb(${10 + index * 3}, ${200 - index}, ${40 + (index % 7) * 20})`]),
);

/** Sets the unique color of each variable in the page. */
export async function markColours(page: Page): Promise<void> {
  await page.evaluate(
    (all) => {
      for (const [name, value] of all) document.documentElement.style.setProperty(name, value);
    },
    [...marks],
  );
}

/** The SVG of what is visible. */
export async function drawing(page: Page, size: { readonly width: number; readonly height: number }): Promise<string> {
  const pieces = await page.evaluate(collect);
  const { width, height } = size;
  const background = `<rect width="${width}" height="${height}" rx="6" fill="var(--vscode-sideBar-background)" stroke="var(--vscode-panel-border)"/>`;
  const body = pieces.map(drawn).filter((one) => one !== '');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" fill="${TEXT}" dominant-baseline="central" font-family="var(--vscode-font-family, sans-serif)" font-size="13">${[background, ...body].join('\n')}</svg>\n`;
}

function drawn(piece: Piece): string {
  const { x, y, width, height } = piece.at;
  switch (piece.kind) {
    case 'box': {
      const filled = isPainted(piece.fill);
      const stroked = isPainted(piece.stroke);
      // A theme without that color draws no surface, as in the page.
      const paints = [
        filled ? paint('fill', piece.fill).replace(/\)"/, ',none)"') : ' fill="none"',
        paint('stroke', piece.stroke),
      ].join('');
      const radius = piece.radius > 0 ? ` rx="${short(Math.min(piece.radius, height / 2))}"` : '';
      return !filled && !stroked
        ? ''
        : `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"${radius}${paints}/>`;
    }
    case 'line':
      return lineOf(piece);
    case 'icon':
      return iconOf(piece.name, piece.at, piece.fill);
    case 'text':
      return textOf(piece);
    default:
      return assertNever(piece);
  }
}

function lineOf({ at: { x, y, width, height }, stroke }: Extract<Piece, { kind: 'line' }>): string {
  const painted = paint('stroke', stroke);
  const way = width > 0 ? `h${short(width)}` : `v${short(height)}`;
  return painted === '' ? '' : `<path d="M${short(x)} ${short(y)}${way}"${painted}/>`;
}

function textOf({ at, text, font, fill }: Extract<Piece, { kind: 'text' }>): string {
  if (!isPainted(fill)) return '';
  const family = font.mono ? ' font-family="monospace"' : '';
  const size = font.size === 13 ? '' : ` font-size="${short(font.size)}"`;
  const weight = Number(font.weight) >= 600 ? ' font-weight="600"' : '';
  const italic = font.italic ? ' font-style="italic"' : '';
  // `textLength` makes any font as wide as the one used here.
  const fitted = ` textLength="${short(at.width)}" lengthAdjust="spacingAndGlyphs"`;
  const middle = short(at.y + at.height / 2);
  return `<text x="${short(at.x)}" y="${middle}"${family}${size}${weight}${italic}${fitted}${paint('fill', fill)}>${escaped(text)}</text>`;
}

function iconOf(name: string, { x, y, width }: Box, fill: Paint): string {
  const file = `node_modules/@vscode/codicons/src/icons/${name}.svg`;
  if (!isPainted(fill) || !existsSync(file)) return '';
  const svg = readFileSync(file, 'utf8');
  const [, side = '16'] = /viewBox="0 0 ([\d.]+)/.exec(svg) ?? [];
  const paths = Array.from(svg.matchAll(/<path\b[^>]*\bd="([^"]+)"[^>]*>/g), ([, d = '']) => d);
  const scale = String(Math.round((width / Number(side)) * 100) / 100);
  return `<path transform="translate(${short(x)} ${short(y)})${scale === '1' ? '' : ` scale(${scale})`}"${paint('fill', fill)} d="${rounded(paths.join(''))}"/>`;
}

/** A path with two decimals: more precision is not visible. */
function rounded(path: string): string {
  return path.replaceAll(/\d*\.\d+/g, (number) => String(Math.round(Number(number) * 100) / 100));
}

/** The attribute with the variable of this color; empty if transparent. A color without a variable becomes the text color. */
function paint(attribute: 'fill' | 'stroke', colour: Paint | undefined): string {
  if (colour === undefined) return '';
  const [red = 0, green = 0, blue = 0, alpha = 1] = channels(colour);
  if (alpha === 0) return '';
  const found = [...marks].find(([, mark]) => {
    const wanted = channels(mark);
    return [red, green, blue].every((channel, at) => Math.abs(channel - (wanted[at] ?? 0)) < 1.5);
  });
  const opacity = alpha < 1 ? ` ${attribute}-opacity="${short(alpha)}"` : '';
  const value = `var(${found?.[0] ?? '--vscode-foreground'})`;
  // Defined once for the whole drawing.
  return attribute === 'fill' && value === TEXT ? opacity : ` ${attribute}="${value}"${opacity}`;
}

function isPainted(colour: Paint | undefined): boolean {
  return colour !== undefined && (channels(colour)[3] ?? 1) > 0;
}

function channels(colour: string): number[] {
  const numbers = (colour.match(/[\d.]+/g) ?? []).map(Number);
  if (!colour.startsWith('color(')) return numbers;
  return numbers.map((value, at) => (at < 3 ? value * 255 : value));
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Runs in the page: lists all visible boxes and texts in paint order. */
function collect(): Piece[] {
  const pieces: Piece[] = [];
  const visible = ({ x, y, width, height }: Box): boolean =>
    width > 0 && height > 0 && x < innerWidth && y < innerHeight && x + width > 0 && y + height > 0;
  const boxOf = ({ x, y, width, height }: DOMRect): Box => ({ x, y, width, height });
  /** The visible part of a box inside its scrolling ancestors; undefined if none. */
  const clipped = (element: Element, at: Box): Box | undefined => {
    let { x, y, width, height } = at;
    for (let up = element.parentElement; up; up = up.parentElement) {
      if (getComputedStyle(up).overflow === 'visible') continue;
      const edge = up.getBoundingClientRect();
      const right = Math.min(x + width, edge.right);
      const bottom = Math.min(y + height, edge.bottom);
      x = Math.max(x, edge.x);
      y = Math.max(y, edge.y);
      width = right - x;
      height = bottom - y;
      if (width <= 0 || height <= 0) return undefined;
    }
    return { x, y, width, height };
  };
  const fontOf = (style: CSSStyleDeclaration): Font => ({
    size: Number.parseFloat(style.fontSize),
    weight: style.fontWeight,
    mono: /mono|consol|menlo|courier/i.test(style.fontFamily.split(',')[0] ?? ''),
    italic: style.fontStyle === 'italic',
  });
  const opacityOf = (element: Element): number => {
    let opacity = 1;
    for (let up: Element | null = element; up; up = up.parentElement) opacity *= Number(getComputedStyle(up).opacity);
    return opacity;
  };
  const faded = (colour: string, element: Element): string => {
    const opacity = opacityOf(element);
    if (opacity === 1) return colour;
    const numbers = (colour.match(/[\d.]+/g) ?? []).map(Number);
    const [red = 0, green = 0, blue = 0, alpha = 1] = colour.startsWith('color(')
      ? numbers.map((value, at) => (at < 3 ? value * 255 : value))
      : numbers;
    return `rgba(${red}, ${green}, ${blue}, ${alpha * opacity})`;
  };
  const box = (element: Element, style: CSSStyleDeclaration): void => {
    const at = clipped(element, boxOf(element.getBoundingClientRect()));
    if (!at || !visible(at)) return;
    const sides = ['Top', 'Right', 'Bottom', 'Left'] as const;
    const widths = sides.map((side) =>
      style[`border${side}Style`] === 'none' ? 0 : Number.parseFloat(style[`border${side}Width`]),
    );
    const all = widths.every((width) => width > 0);
    const radius = Number.parseFloat(style.borderTopLeftRadius) || 0;
    const inner = all ? { x: at.x + 0.5, y: at.y + 0.5, width: at.width - 1, height: at.height - 1 } : at;
    const stroke = all ? { stroke: faded(style.borderTopColor, element) } : {};
    pieces.push({ kind: 'box', at: inner, radius, fill: faded(style.backgroundColor, element), ...stroke });
    if (all) return;
    const line = (x: number, y: number, width: number, height: number, stroke: string): void =>
      void pieces.push({ kind: 'line', at: { x, y, width, height }, stroke: faded(stroke, element) });
    if (widths[0]) line(at.x, at.y + 0.5, at.width, 0, style.borderTopColor);
    if (widths[2]) line(at.x, at.y + at.height - 0.5, at.width, 0, style.borderBottomColor);
    if (widths[3]) line(at.x + 0.5, at.y, 0, at.height, style.borderLeftColor);
  };
  const icon = (element: Element): void => {
    const name = Array.from(element.classList)
      .find((one) => one.startsWith('codicon-'))
      ?.slice('codicon-'.length);
    const style = getComputedStyle(element, '::before');
    const at = clipped(element, boxOf(element.getBoundingClientRect()));
    if (name === undefined || !at || !visible(at) || style.content === 'none') return;
    const size = Number.parseFloat(style.fontSize);
    const place = { x: at.x + (at.width - size) / 2, y: at.y + (at.height - size) / 2, width: size, height: size };
    pieces.push({ kind: 'icon', at: place, name, fill: faded(style.color, element) });
  };
  const text = (node: Text): void => {
    const parent = node.parentElement;
    if (!parent) return;
    const style = getComputedStyle(parent);
    const lines = new Map<number, { at: Box; text: string }>();
    const range = document.createRange();
    for (const word of node.data.matchAll(/\S+\s?/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].trimEnd().length);
      const rect = range.getBoundingClientRect();
      const before = lines.get(Math.round(rect.y));
      if (!before) lines.set(Math.round(rect.y), { at: boxOf(rect), text: word[0].trimEnd() });
      else {
        before.text += ` ${word[0].trimEnd()}`;
        before.at = { ...before.at, width: rect.right - before.at.x };
      }
    }
    for (const line of lines.values()) {
      const at = clipped(parent, line.at);
      // A clipped line is skipped instead of squeezed.
      if (!at || at.height < line.at.height - 2 || at.width < line.at.width - 2 || !visible(at)) continue;
      pieces.push({ kind: 'text', at, text: line.text, font: fontOf(style), fill: faded(style.color, parent) });
    }
  };
  const field = (element: HTMLTextAreaElement | HTMLInputElement): void => {
    const written = element.value || element.placeholder;
    const style = getComputedStyle(element, element.value ? null : '::placeholder');
    const own = getComputedStyle(element);
    const at = element.getBoundingClientRect();
    const canvas = document.createElement('canvas').getContext('2d');
    if (!canvas || written === '') return;
    canvas.font = own.font;
    const lineHeight = Number.parseFloat(own.lineHeight) || Number.parseFloat(own.fontSize) * 1.4;
    const room = at.width - Number.parseFloat(own.paddingLeft) - Number.parseFloat(own.paddingRight);
    const lines: string[] = [];
    for (const word of written.split(' ')) {
      const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
      if (lines.length > 0 && canvas.measureText(longer).width <= room) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    for (const [index, line] of lines.entries()) {
      const place = {
        x: at.x + Number.parseFloat(own.paddingLeft),
        y: at.y + Number.parseFloat(own.paddingTop) + index * lineHeight,
        width: canvas.measureText(line).width,
        height: lineHeight,
      };
      pieces.push({ kind: 'text', at: place, text: line, font: fontOf(own), fill: style.color });
    }
  };
  const walk = (element: Element): void => {
    const style = getComputedStyle(element);
    if (style.display === 'none' || style.visibility === 'hidden') return;
    const { width, height } = element.getBoundingClientRect();
    // Visible only to screen readers.
    if (style.position === 'absolute' && width <= 1 && height <= 1) return;
    box(element, style);
    if (element.classList.contains('codicon')) icon(element);
    if (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) field(element);
    else
      for (const child of element.childNodes) {
        if (child instanceof Element) walk(child);
        else if (child instanceof Text && child.data.trim() !== '') text(child);
      }
  };
  walk(document.body);
  return pieces;
}
