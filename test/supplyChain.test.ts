import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** What third parties could add to Parley during its build and release, and what Parley itself loads from the network (supply chain). */

interface Package {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Package> };
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');

/** Runs no text of others: it limits the time of a function. */
const LIMITS_TIME =
  /^import \{ createContext, Script \} from 'node:vm';$(?=[^]*new Script\('run\(\)'\))(?![^]*new Script\((?!'run\(\)'\)))/m;

describe('supply chain', () => {
  it('pins every dependency to one version', () => {
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
      assert.equal(lock.packages[`node_modules/${name}`]?.version, version, name);
    }
  });

  it('pins the content of all shipped packages, from any source', () => {
    const shipped = packages.filter(([, { dev, devOptional }]) => !dev && !devOptional);
    assert.ok(shipped.length > 20, `only ${shipped.length}`);
    for (const [path, { integrity }] of shipped) assert.match(integrity ?? '', /^sha512-/, path);
    assert.deepEqual(
      packages.filter(([, { resolved }]) => resolved !== undefined),
      [],
    );
  });

  it('ships no installation scripts, neither its own nor of packages', () => {
    const scripts = packages.filter(([, { dev, devOptional, hasInstallScript }]) => {
      return hasInstallScript && !dev && !devOptional;
    });
    assert.deepEqual(scripts, []);
    const atInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish', 'vscode:uninstall'];
    assert.deepEqual(
      atInstall.filter((name) => name in manifest.scripts),
      [],
    );
  });

  it('uses the network only in listed files', () => {
    // The registry's index and its archives, verified by checksum; agents and servers that the user configured; servers that Parley
    // declares to the demo agent on this machine.
    const known =
      /^(?:node\/http\/httpGet|agent\/connection\/remoteAgent|demoAgent\/scenes\/editorToolsScene|mcp\/.+|a2a\/.+)\.ts$/;
    const opens = /\bfetch\(|\bhttps?\.(?:request|get)\(|new WebSocket\(|\bcreateConnection\(|\bnet\.connect\(/;
    const found = readdirSync('src', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => opens.test(readFileSync(file, 'utf8').replaceAll(/[#.]fetch\(/g, '')))
      .map((file) => relative('src', file).split(sep).join('/'));
    assert.ok(found.includes('node/http/httpGet.ts'));
    assert.deepEqual(
      found.filter((file) => !known.test(file)),
      [],
    );
  });

  it('evaluates no text as code', () => {
    const code = /\beval\(|new Function\(|\bvm\.|from 'node:vm'/;
    const found = readdirSync('src', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => code.test(readFileSync(file, 'utf8').replace(LIMITS_TIME, '')));
    assert.deepEqual(found, []);
  });
});
