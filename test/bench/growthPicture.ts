/** Cost of one kind of work at several sizes, smallest first. */
export interface Growth {
  readonly what: string;
  readonly values: readonly number[];
}

const [WIDTH, HEIGHT, MARGIN, TITLE] = [200, 110, 12, 22] as const;
const COLUMNS = 3;

/**
 * Draws a curve for each kind of work, beside the straight line from zero to its last value.
 *
 * @param sizes Sizes of the values, at most 1.
 * @returns An SVG that is readable on light and dark pages.
 */
export function growthPicture(growth: readonly Growth[], sizes: readonly number[]): string {
  const rows = Math.ceil(growth.length / COLUMNS);
  const panels = growth.map(({ what, values }, index) => {
    const [left, top] = [(index % COLUMNS) * WIDTH, Math.floor(index / COLUMNS) * HEIGHT];
    const most = Math.max(...values);
    const x = (size: number): string => (left + MARGIN + size * (WIDTH - 2 * MARGIN)).toFixed(1);
    const y = (value: number): string =>
      (top + HEIGHT - MARGIN - (value / most) * (HEIGHT - MARGIN - TITLE)).toFixed(1);
    const last = values.at(-1) ?? 0;
    const points = values.map((value, at) => `${x(sizes[at] ?? 0)},${y(value)}`);
    return [
      `<text x="${x(0)}" y="${top + 14}">${what}</text>`,
      `<path d="M${x(0)},${y(most)}V${y(0)}H${x(1)}" stroke="#888"/>`,
      `<path d="M${x(0)},${y(0)}L${x(1)},${y(last)}" stroke="#888" stroke-dasharray="3 3"/>`,
      `<polyline points="${points.join(' ')}" stroke="#3794ff" stroke-width="2"/>`,
    ].join('\n');
  });
  const size = `width="${COLUMNS * WIDTH}" height="${rows * HEIGHT}"`;
  const style = 'fill="none" font-family="sans-serif" font-size="11"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}>
<style>text { fill: #888 }</style>
${panels.join('\n')}
</svg>
`;
}
