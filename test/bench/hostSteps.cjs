// Preloaded by Node (`preload` of the workbench): appends to the file named by HOST_STEPS when the extension host starts, and when it has
// loaded the parts of an extension.
const { appendFileSync } = require('node:fs');
const { Module } = require('node:module');
const path = require('node:path');

const file = process.env.HOST_STEPS;

function note(what, at) {
  appendFileSync(file, `${JSON.stringify({ what, at })}\n`);
}

if (file && process.argv.includes('--type=extensionHost')) {
  note('host', Date.now() - process.uptime() * 1000);
  const extensions = Module._extensions;
  const original = { ...extensions };
  extensions['.js'] = (module, name) => {
    original['.js'](module, name);
    const [, extension] = /[/\\]((?:parley\.parley|bench\.empty)-[^/\\]+)[/\\]/.exec(name) ?? [];
    if (extension)
      note(`${extension.split('-')[0]} ${path.basename(name).replace(/-[A-Z0-9]{8}(?=\.js)/, '')}`, Date.now());
  };
}
