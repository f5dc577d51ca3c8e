import assert from 'node:assert/strict';
import type { FittingOption } from '../../../../../../src/webview/chat/composer/configOptions/fitOptionLabels';
import { fitOptionLabels, labelForms } from '../../../../../../src/webview/chat/composer/configOptions/fitOptionLabels';

/** Each character is 10 pixels wide. */
const option = (name: string, kind?: FittingOption['kind']): FittingOption => ({
  forms: labelForms(name, 20, (text) => text.length * 10),
  ...(kind && { kind }),
});
const fit = (room: number, ...options: FittingOption[]): (string | undefined)[] =>
  fitOptionLabels(options, room).map((form) => form?.text);

describe('webview/chat/composer/fitOptionLabels', () => {
  const [mode, model, fast] = [option('Ask first', 'mode'), option('Big new model', 'model'), option('Fast')];

  it('shows whole labels if they fit', () => {
    assert.deepEqual(fit(Infinity, mode, model, fast), ['Ask first', 'Big new model', 'Fast']);
  });

  it('shortens labels by words, the longest first, and the mode last', () => {
    assert.deepEqual(fit(320, mode, model, fast), ['Ask first', 'Big new…', 'Fast']);
    assert.deepEqual(fit(260, mode, model, fast), ['Ask first', 'Big…', 'Fast']);
  });

  it('hides the last label first, then the mode, and the model at the end', () => {
    assert.deepEqual(fit(215, mode, model, fast), ['Ask first', 'Big…', undefined]);
    assert.deepEqual(fit(160, model, fast, mode), ['Big…', undefined, 'Ask…']);
    assert.deepEqual(fit(110, model, fast, mode), ['Big…', undefined, undefined]);
    assert.deepEqual(fit(20, model, fast, mode), [undefined, undefined, undefined]);
  });

  it('keeps a value after the name of its option', () => {
    const texts = labelForms('Model: Default (recommended)', 20, (text) => text.length * 10).map(({ text }) => text);
    assert.deepEqual(texts, ['Model: Default…', 'Model: Default (recommended)']);
  });

  it('cuts within a word only if necessary', () => {
    const forms = labelForms('gemini-exp-pro', 20, (text) => text.length * 10);
    assert.deepEqual(forms, [
      { text: 'gemini-exp-pro', width: 80, isClipped: true },
      { text: 'gemini-exp-pro', width: 160 },
    ]);
    const widths = labelForms('a'.repeat(5000), 20, (text) => text.length * 10).map(({ width }) => width);
    assert.deepEqual(widths, [80, 400]);
  });
});
