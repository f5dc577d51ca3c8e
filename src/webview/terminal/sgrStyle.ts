import Anser from 'anser';
import type { Style } from '../../shared/terminal/screenLine';
import { plainStyle } from '../../shared/terminal/screenLine';

/** Tracks the select-graphic-rendition state of one terminal. */
export class SgrStyleParser {
  readonly #styles = new Map<string, Style>();
  #anser = new Anser();

  /** The style after the sequence with these parameters. */
  read(parameters: string): Style {
    const codes = withoutColons(parameters);
    let state = this.#process(codes);
    const once = [...new Set(state.decorations)];
    if (once.length < state.decorations.length) {
      // anser stores a repeated "bold" twice, and "not bold" removes only one.
      this.#anser = new Anser();
      state = this.#process([...colorCodes(state), ...once.map((name) => decorationCodes[name])].join(';'));
    }
    return this.#intern(styleOf(state));
  }

  #process(codes: string): Anser.AnserJsonEntry {
    return this.#anser.processChunkJson(`${codes}m`, { json: true, use_classes: true }, true);
  }

  #intern(style: Style): Style {
    const key = `${style.classes}|${style.color ?? ''}|${style.background ?? ''}`;
    if (key === '||') return plainStyle;
    const cached = this.#styles.get(key);
    if (cached) return cached;
    if (this.#styles.size > 1000) this.#styles.clear();
    this.#styles.set(key, style);
    return style;
  }
}

const decorationCodes: Readonly<Record<Anser.DecorationName, number>> = {
  bold: 1,
  dim: 2,
  italic: 3,
  underline: 4,
  blink: 5,
  reverse: 7,
  hidden: 8,
  strikethrough: 9,
};

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** The codes that set the colors of this state. */
function colorCodes(state: Anser.AnserJsonEntry): string[] {
  return [...codesOf(state.fg, state.fg_truecolor, 38, 30, 90), ...codesOf(state.bg, state.bg_truecolor, 48, 40, 100)];
}

function codesOf(name: string | null, rgb: string, extended: number, normal: number, bright: number): string[] {
  if (!name) return [];
  if (name === 'ansi-truecolor') return [`${extended};2;${rgb.replaceAll(', ', ';')}`];
  const palette = /^ansi-palette-(\d+)$/.exec(name)?.[1];
  if (palette) return [`${extended};5;${palette}`];
  const index = names.indexOf(name.replace(/^ansi-(?:bright-)?/, ''));
  return index < 0 ? [] : [String(index + (name.includes('bright') ? bright : normal))];
}

/** `38:2::1:2:3` is another form of `38;2;1;2;3`; other subparameters (the kind of underline) are dropped. */
function withoutColons(parameters: string): string {
  if (!parameters.includes(':')) return parameters;
  return parameters
    .replace(/(38|48):2:(?:\d*:)?(\d+):(\d+):(\d+)/g, '$1;2;$2;$3;$4')
    .replace(/(38|48):5:(\d+)/g, '$1;5;$2')
    .replace(/\b4:0\b/g, '24')
    .replace(/:\d*/g, '');
}

function styleOf(state: Anser.AnserJsonEntry): Style {
  const decorations = new Set(state.decorations);
  const isReverse = decorations.delete('reverse');
  const [front, back] = [
    colorOf(state.fg, state.fg_truecolor, isReverse ? 'bg' : 'fg'),
    colorOf(state.bg, state.bg_truecolor, isReverse ? 'fg' : 'bg'),
  ];
  const [fg, bg] = isReverse ? [back, front] : [front, back];
  const classes = [fg.name, bg.name, ...[...decorations].map((name) => `ansi-${name}`)].filter((name) => name !== '');
  if (isReverse && !state.fg) classes.push('ansi-reverse-bg');
  if (isReverse && !state.bg) classes.push('ansi-reverse-fg');
  return {
    classes: classes.join(' '),
    ...(fg.value !== undefined && { color: fg.value }),
    ...(bg.value !== undefined && { background: bg.value }),
  };
}

function colorOf(name: string | null, rgb: string, layer: 'fg' | 'bg'): { name: string; value?: string } {
  if (!name) return { name: '' };
  if (name === 'ansi-truecolor') return { name: '', value: `rgb(${rgb})` };
  const palette = /^ansi-palette-(\d+)$/.exec(name)?.[1];
  return palette ? { name: '', value: paletteColor(Number(palette)) } : { name: `${name}-${layer}` };
}

/** Colors 16 to 255 of xterm: a cube of six steps, then shades of grey. */
function paletteColor(index: number): string {
  if (index >= 232) {
    const level = 8 + 10 * (index - 232);
    return `rgb(${level}, ${level}, ${level})`;
  }
  const level = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))}, ${level(Math.floor(cube / 6) % 6)}, ${level(cube % 6)})`;
}
