// Generates media/icon.png (128 x 128) from the same logo as media/icon.svg: node test/page/icon.mjs
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { requireChromium } from '../host/chromium.mjs';

const media = join(fileURLToPath(import.meta.url), '..', '..', '..', 'media');
const mark = (await readFile(join(media, 'icon.svg'), 'utf8')).match(/<path[^]*<\/svg>/)[0].replace('</svg>', '');

const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128" width="128" height="128">
  <defs>
    <linearGradient id="ground" x1="0" y1="0" x2="1" y2="1">
      <stop offset="0" stop-color="#2f6bd8"/>
      <stop offset="1" stop-color="#17357e"/>
    </linearGradient>
  </defs>
  <rect x="4" y="4" width="120" height="120" rx="28" fill="url(#ground)"/>
  <g transform="translate(17 17) scale(3.92)" color="#fff" fill="none">${mark}</g>
</svg>`;

const browser = await chromium.launch({
  executablePath: requireChromium(),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const page = await browser.newPage({ viewport: { width: 128, height: 128 } });
await page.setContent(`<body style="margin:0">${picture}`);
await page.screenshot({ path: join(media, 'icon.png'), omitBackground: true });
await browser.close();
