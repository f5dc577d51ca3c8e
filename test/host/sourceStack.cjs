// Names the sources in stack traces of bundles. Node's own --enable-source-maps reads the maps of all bundles, and maps the trace of every
// error: 5 to 10 % of a test run. This maps only the traces that are printed.
'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { SourceMap } = require('node:module');
const path = require('node:path');

/** Path of a bundle → its map, or undefined. */
const maps = new Map();

/**
 * @param {string} stack
 * @returns {string} The trace with the places in the sources; relative paths are of the working directory.
 */
function mapStack(stack) {
  return stack.replaceAll(
    /(?<=^ +at .*?)((?:[A-Z]:)?[^\s():]+\.js):(\d+):(\d+)(?=\)?$)/gm,
    (place, file, line, column) => {
      const bundle = path.resolve(file);
      if (!maps.has(bundle)) maps.set(bundle, readMap(bundle));
      const { originalSource, originalLine, originalColumn } = maps.get(bundle)?.findEntry(line - 1, column - 1) ?? {};
      if (originalSource === undefined) return place;
      return `${path.relative('', path.resolve(path.dirname(bundle), originalSource))}:${originalLine + 1}:${originalColumn + 1}`;
    },
  );
}

function readMap(bundle) {
  const file = `${bundle}.map`;
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

module.exports = { mapStack };
