import { exactObject, list, optional, record, stringOrBoolean } from '../../base/schema';
import { entries, text } from '../../base/settings';
import type { Preset } from '../../shared/state/preset';

const MAX_NAME_CHARS = 100;
const MAX_OPTIONS = 50;

export const presetName = text(MAX_NAME_CHARS);

const patterns = optional(list(text()));

/** `parley.presets` */
export const readPresets = entries(
  exactObject<Preset>({
    name: presetName,
    agent: text(),
    options: optional(record(stringOrBoolean, MAX_OPTIONS)),
    tools: optional(exactObject<NonNullable<Preset['tools']>>({ allow: patterns, deny: patterns })),
    instructions: optional(text()),
    prompt: optional(text()),
  }),
);
