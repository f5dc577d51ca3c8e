import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

/** Bytes. */
const BUDGET = 40_000;

type Schemas = Readonly<Record<string, z.ZodType>>;

describe('the ACP SDK as shipped', () => {
  const lib = join(process.cwd(), 'out', 'package', 'dist', 'lib') + sep;
  const requires = createRequire(join(lib, 'acp.js'));

  // Other tests count the files that they load.
  const forget = (): void => {
    for (const file of Object.keys(requires.cache)) if (file.startsWith(lib)) delete requires.cache[file];
  };
  before(forget);
  after(forget);

  it(`loads at most ${BUDGET / 1000} KB of code with a connection, which needs no validators of messages`, () => {
    const { client } = requires('./acp.js') as { client: (options: object) => { connect(stream: object): unknown } };
    client({ name: 'test' }).connect({ readable: new ReadableStream(), writable: new WritableStream() });
    const files = Object.keys(requires.cache).filter((file) => file.startsWith(lib));
    const sum = files.reduce((total, file) => total + statSync(file).size, 0);
    assert.ok(sum > 0 && sum <= BUDGET, `${sum} bytes: ${files.map((file) => basename(file)).join(', ')}`);
  });

  it('has all validators', async () => {
    const file = pathToFileURL(
      join(process.cwd(), 'node_modules/@agentclientprotocol/sdk/dist/v1/unstable/schema/zod.gen.js'),
    );
    const original = (await import(file.href)) as Schemas;
    const shipped = requires('./validators.js') as Readonly<Record<string, () => z.ZodType>>;
    const shippedSchemas = Object.entries(shipped).map(([name, create]) => [name, create()] as const);
    assert.deepEqual(describeAll(Object.fromEntries(shippedSchemas)), describeAll(original));
  });
});

/** What each schema accepts, as JSON schema by name. */
function describeAll(schemas: Schemas): Record<string, unknown> {
  const names = Object.keys(schemas).toSorted();
  assert.ok(names.length > 100);
  return Object.fromEntries(
    names.map((name) => [
      name,
      schemas[name] && z.toJSONSchema(schemas[name], { unrepresentable: 'any', io: 'input' }),
    ]),
  );
}
