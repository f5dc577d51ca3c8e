// Preloaded by Node (`preload` of the workbench): records every started process and every opened socket, and whether Parley's code did it.
// Appends one JSON line each to the file named by PARLEY_SPY.
const childProcess = require('node:child_process');
const { appendFileSync } = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const net = require('node:net');

const file = process.env.PARLEY_SPY;
Error.stackTraceLimit = 100;

function note(what, details) {
  const { stack = '' } = new Error('who did it');
  const line = { what, ours: stack.includes('parley.parley'), details: details.map(inWords), pid: process.pid };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

function inWords(value) {
  if (value instanceof URL) return value.href;
  if (typeof value === 'function') return 'function';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inWords);
  const { host, hostname, port, path, cwd } = value;
  return { host, hostname, port, path, cwd };
}

function watch(owner, name, what) {
  const original = owner[name];
  owner[name] = function watched(...args) {
    note(what, args);
    return Reflect.apply(original, new.target === undefined ? this : owner, args);
  };
  // Functions with own properties (promisified forms) keep them.
  Object.defineProperties(owner[name], Object.getOwnPropertyDescriptors(original));
}

if (file) {
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
    watch(childProcess, name, 'process');
  }
  watch(net.Socket.prototype, 'connect', 'socket');
  watch(net.Server.prototype, 'listen', 'server');
  for (const library of [http, https]) {
    watch(library, 'request', 'request');
    watch(library, 'get', 'request');
  }
  if (typeof globalThis.fetch === 'function') watch(globalThis, 'fetch', 'request');
  note('watching', process.argv.slice(1, 3));
}
