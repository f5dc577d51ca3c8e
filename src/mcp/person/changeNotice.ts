import { t } from '../../base/l10n';
import { showHiddenInLine, withoutLinks } from '../../base/visible';
import type { HeldTool, HeldTools } from '../toolServer';

/** A server some of whose tools may be held back. */
export interface WithHeld {
  readonly name: string;
  readonly held: Pick<HeldTools, 'list'>;
}

/** Tells the person once of each tool that has changed since they saw it; what they want kept out is not told again. */
export class ChangeNotice {
  readonly #tell: (sentence: string) => void;
  readonly #told = new Set<string>();

  /** @param tell shows a sentence with a way to the Tools panel */
  constructor(tell: (sentence: string) => void) {
    this.#tell = tell;
  }

  look(servers: Iterable<WithHeld>): void {
    for (const { name, held } of servers) {
      const fresh = held.list().filter((tool) => {
        const key = JSON.stringify([name, tool.name, tool.hash]);
        return !tool.isRefused && !this.#told.has(key) && this.#told.add(key);
      });
      if (fresh.length > 0) this.#tell(sentenceOf(name, fresh));
    }
  }
}

function sentenceOf(server: string, changed: readonly HeldTool[]): string {
  const shown = (text: string): string => withoutLinks(showHiddenInLine(text));
  const [first] = changed;
  const areTools = changed.every(({ label }) => label === undefined);
  if (changed.length === 1 && first)
    return first.label === undefined
      ? t(
          'The tool “{0}” of the MCP server “{1}” has changed since you saw it. Agents do not get it until you have looked.',
          shown(first.name),
          shown(server),
        )
      : t(
          '{0} of the MCP server “{1}”: changed since you saw it. Agents do not get it until you have looked.',
          shown(first.label),
          shown(server),
        );
  return areTools
    ? t(
        '{0} tools of the MCP server “{1}” have changed since you saw them. Agents do not get them until you have looked.',
        changed.length,
        shown(server),
      )
    : t(
        '{0} texts of the MCP server “{1}”, of tools and the like, have changed since you saw them. Agents do not get them until you have looked.',
        changed.length,
        shown(server),
      );
}
