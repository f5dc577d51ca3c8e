import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock';
import { asArray, asObject, asString, isObject } from '../../base/json';
import { truncate } from '../../base/text';
import type { CallTargets } from './callTargets';
import type { ToolSkill } from './gatewayCard';

/** A target that has not listed its tools after so long has none in the card. */
const LIST_TIMEOUT_MS = 3_000;
const MAX_AGE_MS = 60_000;
const MAX_TOOLS = 100;
/** UTF-16 units of a description. */
const MAX_DESCRIPTION = 2_000;

/** The tools of the configured targets as skills of the card. */
export class TargetSkills {
  /** By the name and content of a target. */
  readonly #cache = new Map<string, { readonly at: number; readonly skills: Promise<readonly ToolSkill[]> }>();

  constructor(
    private readonly targets: CallTargets,
    private readonly clock: Clock,
  ) {}

  /** Never rejects, and takes at most three seconds: a target that does not answer has no skills. */
  async list(): Promise<readonly ToolSkill[]> {
    const oldest = this.clock.elapsed() - MAX_AGE_MS;
    for (const [key, { at }] of this.#cache) if (at < oldest) this.#cache.delete(key);
    const lists = this.targets.configured().map(({ name, content }) => {
      const key = JSON.stringify([name, content]);
      const cached = this.#cache.get(key) ?? { at: this.clock.elapsed(), skills: this.#ask(name).catch(() => []) };
      this.#cache.set(key, cached);
      return cached.skills;
    });
    return (await Promise.all(lists)).flat();
  }

  async #ask(target: string): Promise<readonly ToolSkill[]> {
    const command = { target, path: undefined, method: 'tools/list', params: {}, requestId: randomUUID(), headers: {} };
    const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
    const { outcome } = await this.targets.call(command, { client: 'card', signal, progress: () => undefined });
    const tools = 'result' in outcome ? asArray(asObject(outcome.result)?.['tools']).filter(isObject) : [];
    return tools.slice(0, MAX_TOOLS).flatMap((tool) => {
      const name = asString(tool['name']);
      if (name === undefined) return [];
      const example = { mcp_target_url: target, mcp_method: 'tools/call', mcp_params: { name, arguments: {} } };
      return {
        id: `${target}__${name}`,
        name: asString(tool['title']) ?? name,
        description: truncate(asString(tool['description']) ?? '', MAX_DESCRIPTION),
        examples: [JSON.stringify(example)],
      };
    });
  }
}
