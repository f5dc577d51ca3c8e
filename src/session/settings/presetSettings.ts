import { exactObject, list, optional, recordOf, stringOrBoolean } from '../../base/schema';
import { limitedText, namedEntries } from '../../base/settings';
import type { Preset } from '../../shared/state/preset';

const MAX_NAME_CHARS = 100;
const MAX_OPTIONS = 50;

export const presetName = limitedText(MAX_NAME_CHARS);

const patterns = optional(list(limitedText()));

/** `parley.presets` */
export const readPresets = namedEntries(
  exactObject<Preset>({
    name: presetName,
    agent: limitedText(),
    options: optional(recordOf(stringOrBoolean, MAX_OPTIONS)),
    tools: optional(exactObject<NonNullable<Preset['tools']>>({ allow: patterns, deny: patterns })),
    instructions: optional(limitedText()),
    prompt: optional(limitedText()),
  }),
);
