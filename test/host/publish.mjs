// npm run publish:openvsx [-- --registry URL]: uploads dist/parley.vsix to an Open VSX registry. OVSX_PAT contains the access token. For
// the Marketplace use `vsce publish --packagePath dist/parley.vsix`.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { registry: { type: 'string', default: 'https://open-vsx.org' } } });

try {
  const token = process.env.OVSX_PAT;
  if (!token) throw new Error('Set OVSX_PAT to an access token of the registry.');
  const body = await readFile('dist/parley.vsix');
  const { namespace, name, version } = await publish(values.registry, token, body);
  console.log(`Published ${namespace}.${name} ${version} to ${values.registry}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/**
 * The registry takes the token in the URL, so errors must not show the URL.
 * @returns {Promise<{ namespace: string, name: string, version: string }>}
 */
async function publish(registry, token, body) {
  const url = new URL('/api/-/publish', registry);
  if (url.protocol !== 'https:' && url.hostname !== '127.0.0.1') throw new Error(`${registry} must begin with https:`);
  url.searchParams.set('token', token);
  const headers = { 'content-type': 'application/octet-stream' };
  const signal = AbortSignal.timeout(300_000);
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' }).catch((error) => {
    throw new Error(`Cannot reach ${registry}: ${error.cause?.message ?? error.message}`);
  });
  const answer = await response.json().catch(() => ({}));
  const problem = answer.error ?? (response.ok ? undefined : `status ${response.status}`);
  if (problem !== undefined) throw new Error(`${registry} refused the extension: ${problem.replaceAll(token, '…')}`);
  return answer;
}
