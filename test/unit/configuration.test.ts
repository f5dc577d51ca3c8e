import { openFolder, shown, trust, written } from './trustStub';
import assert from 'node:assert/strict';
import { nullLogger } from '../../src/base/logger';
import { Redactor } from '../../src/base/redactor';
import { Configuration } from '../../src/configuration';

describe('invalid settings', () => {
  it('are reported once, and again after they were valid', () => {
    shown.length = 0;
    written.user = { follow: 'yes' };
    written.workspace = {};
    openFolder('/nowhere');
    const config = new Configuration(nullLogger, new Redactor(), '/extension');
    const said = (): string[] => shown.splice(0);
    trust();
    const [first = '', ...more] = said();
    assert.match(first, /parley\.follow: expected true or false/);
    assert.deepEqual(more, []);
    const unknown = { path: 'parley.tools.allow[0]', message: 'names no tool' };
    config.report([unknown]);
    assert.deepEqual(said(), ['Parley settings: parley.tools.allow[0]: names no tool.']);
    config.report([]);
    trust();
    assert.deepEqual(said(), []);
    config.report([unknown]);
    assert.equal(said().length, 1);
    config.dispose();
  });
});
