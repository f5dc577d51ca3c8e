import assert from 'node:assert/strict';
import { scenes } from './scenes/all';
import { openScene } from './scenes/scene';

/** At 200 % a view of 450 x 1080 pixels has room for 225 x 540 (WCAG 2.2, 1.4.4 and 1.4.10). */
const ZOOMED = { width: 225, height: 540, scale: 2 } as const;

/** Runs in the page: controls that are cut off at the side, except inside scrolling elements. */
function cutOff(): string[] {
  const scrolls = (element: Element): boolean =>
    ['auto', 'scroll'].includes(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth;
  const withinScroller = (element: Element | null): boolean =>
    element !== null && (scrolls(element) || withinScroller(element.parentElement));
  return [...document.querySelectorAll('button, input, select, textarea, a, [role], [tabindex]')].flatMap((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    const isSeen = width > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!isSeen || (left >= -1 && right <= innerWidth + 1) || withinScroller(element.parentElement)) return [];
    return [`${element.getAttribute('aria-label') ?? element.textContent ?? element.tagName}: ${left} to ${right}`];
  });
}

describe('at 200 % zoom', () => {
  for (const scene of scenes) {
    it(`shows ${scene.name} completely`, async () => {
      const page = await openScene(scene, ZOOMED);
      const wide = await page.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      const cut = await page.page.evaluate(cutOff);
      // An imported session has a note in its place.
      const box =
        'panel' in scene ? undefined : await page.page.locator('.composer .message-box, .read-only').boundingBox();
      await page.close();
      assert.deepEqual({ wide, cut }, { wide: 0, cut: [] });
      assert.ok(box === undefined || (box && box.width > 80 && box.height > 20), 'there is no room to write');
    });
  }
});
