import { exactObject, list, optional, recordOf, stringOrBoolean } from '../../base/schema';
import { limitedText, namedEntries } from '../../base/settings';
import type { Preset } from '../../shared/state/preset';

const MAX_NAME_CHARS = 100;
const MAX_OPTIONS = 50;

export const presetName = limitedText(MAX_NAME_CHARS);

const patterns = optional(list(limitedText()));

/** `parley.presets` */
export const readPresets = namedEntries<Preset>({
  name: presetName,
  agent: limitedText(),
  options: optional(recordOf(stringOrBoolean, MAX_OPTIONS)),
  // Without a limit that this version does not know, the agent would have more tools.
  tools: optional(exactObject<NonNullable<Preset['tools']>>({ allow: patterns, deny: patterns })),
  instructions: optional(limitedText()),
  prompt: optional(limitedText()),
});
