// Windows of VS Code in a browser without a GPU: what is drawn there takes time of the cores that the tests need.

/**
 * Runs in each frame before its scripts. VS Code turns icons and moves bars while something is in progress, even with reduced motion:
 * twenty times a second, the window would be drawn. Parley's own page stays as it is.
 * @param {boolean} isUnseen The window is transparent: laid out, focused and clicked as usual, but painted only while its root has
 *   `data-seen`. For tests, not for measurements.
 */
export function saveDrawing(isUnseen) {
  if (window !== window.top) return;
  const style = new CSSStyleSheet();
  const unseen = isUnseen ? ':root:not([data-seen]) { opacity: 0 !important }' : '';
  style.replaceSync(`.codicon, .codicon::before, .progress-bit { animation: none !important } ${unseen}`);
  document.adoptedStyleSheets.push(style);
}
