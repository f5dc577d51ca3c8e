import type { AgentDefinition } from '../../agent/config/agentDefinition';
import type { RegistryListing } from '../../agent/registry/agentInstalls';
import type { DetectedAgent } from '../../agent/registry/findOnPath';
import type { InstalledAgent } from '../../agent/registry/installedAgents';
import type { RegistryItem } from '../../agent/registry/registryListing';
import { locale, t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { plainLabel } from '../../base/untrustedText';
import type { Preset } from '../../shared/state/preset';

/** Rows of the agent lists, without VS Code. */

const MAX_DETAIL_CHARS = 200;

/** A row; a group starts with a row that has only a label. */
export interface AgentItem<T> {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  /** Undefined for a group's label. */
  readonly value?: T;
}

export type InstallValue =
  | { readonly type: 'offer'; readonly offer: RegistryItem }
  | { readonly type: 'found'; readonly found: DetectedAgent }
  /** Installed, and not in the loaded registry. */
  | { readonly type: 'installed'; readonly installed: InstalledAgent }
  | { readonly type: 'retry' };

/** The registry's agents, or an error sentence. */
export type RegistryResult = RegistryListing | { readonly failure: string };

export function installItems(
  listing: RegistryResult,
  installed: readonly InstalledAgent[],
  found: readonly DetectedAgent[],
): AgentItem<InstallValue>[] {
  const offers = 'failure' in listing ? [] : listing.offers;
  const listed = new Set(offers.map(({ agent }) => agent.id));
  const others = installed.filter(({ id, from }) => from === 'path' || !listed.has(id));
  const isMine = ({ state }: RegistryItem): boolean => state === 'update' || state === 'installed';
  return [
    ...group(t('Found on This Machine'), found.map(toFoundItem)),
    ...group(t('Installed'), [...offers.filter(isMine).map(toOfferItem), ...others.map(toInstalledItem)]),
    ...group(
      registryTitle(listing),
      'failure' in listing
        ? [toFailureItem(listing.failure)]
        : offers.filter((offer) => !isMine(offer)).map(toOfferItem),
    ),
  ];
}

export type SelectedAgent = { readonly name: string } | { readonly found: DetectedAgent } | 'install';

/** Rows of presets, each with its agent and what it sets. */
export function presetItems(
  presets: readonly Preset[],
  agents: readonly AgentDefinition[],
): AgentItem<{ readonly preset: Preset }>[] {
  const item = (preset: Preset): AgentItem<{ readonly preset: Preset }> => {
    const agent = agents.find(({ name }) => name === preset.agent);
    return {
      label: plainLabel(preset.name),
      description: plainLabel(agent?.title ?? t('{0} (not available)', preset.agent)),
      detail: plainLabel(truncate(presetDetails(preset), MAX_DETAIL_CHARS)),
      value: { preset },
    };
  };
  return group(t('Presets'), presets.map(item));
}

function presetDetails({ options = {}, tools, instructions, prompt }: Preset): string {
  const values = Object.entries(options).map(([name, value]) => `${name}: ${value}`);
  const others = [tools && t('fewer tools'), instructions && t('instructions'), prompt && t('a message')];
  return [...values, ...others].filter((text) => text !== undefined).join(' · ');
}

/** Agents in `found` can be selected too: they are then added. */
export function selectItems(
  agents: readonly AgentDefinition[],
  found: readonly DetectedAgent[],
  current: string | undefined,
  builtIn: string,
  asks: (name: string) => boolean | undefined,
): AgentItem<SelectedAgent>[] {
  const item = ({ name, title, description }: AgentDefinition): AgentItem<{ readonly name: string }> => ({
    label: plainLabel(title),
    description: [name === current && t('(current)'), describeAsking(asks(name))].filter(Boolean).join(' · '),
    detail: description && plainLabel(description),
    value: { name },
  });
  const own = agents.filter(({ name, origin, workspace }) => !origin && !workspace && name !== builtIn);
  return [
    ...group(t('From Your Settings'), own.map(item)),
    ...group(t('Installed'), agents.filter(({ name, origin }) => origin !== undefined && name !== builtIn).map(item)),
    ...group(t('Defined by This Workspace'), agents.filter(({ workspace }) => workspace).map(item)),
    ...group(t('Built In'), agents.filter(({ name }) => name === builtIn).map(item)),
    ...group(
      t('Found on This Machine'),
      found.map((agent) => ({ ...toFoundItem(agent), value: { found: agent } })),
    ),
    ...group(t('ACP Registry'), [{ label: t('$(cloud-download) Install Agent…'), value: 'install' as const }]),
  ];
}

function describeAsking(asksBeforeEdits: boolean | undefined): string {
  if (asksBeforeEdits === undefined) return t('asks before edits: unknown');
  return asksBeforeEdits ? t('asks before edits: yes') : t('asks before edits: no');
}

function group<T>(label: string, items: readonly AgentItem<T>[]): AgentItem<T>[] {
  return items.length === 0 ? [] : [{ label }, ...items];
}

function registryTitle(listing: RegistryResult): string {
  if ('failure' in listing) return t('ACP Registry');
  const { offline, at } = listing.view;
  return offline === undefined
    ? t('ACP Registry')
    : t('ACP Registry (offline, as of {0})', new Date(at).toLocaleString(locale()));
}

function toOfferItem(offer: RegistryItem): AgentItem<InstallValue> {
  const { agent, state, installed, choice } = offer;
  const states: Readonly<Record<RegistryItem['state'], string>> = {
    update: t('update available (installed: {0})', installed?.version ?? t('unknown')),
    installed:
      installed?.version === agent.version ? t('installed') : t('installed: {0}', installed?.version ?? t('unknown')),
    available: choice.kind,
    unavailable: t('not available for this platform'),
  };
  return {
    label: plainLabel(agent.name),
    description: plainLabel(`${agent.version} · ${states[state]}`),
    detail: plainLabel(agent.description),
    value: { type: 'offer', offer },
  };
}

function toFoundItem(found: DetectedAgent): AgentItem<InstallValue> {
  const detail = [found.path, ...found.args].join(' ');
  return {
    label: plainLabel(found.title),
    description: t('found on PATH'),
    detail: plainLabel(detail),
    value: { type: 'found', found },
  };
}

function toInstalledItem(installed: InstalledAgent): AgentItem<InstallValue> {
  return {
    label: plainLabel(installed.title),
    description:
      installed.from === 'path'
        ? t('found on PATH · added')
        : t('{0} · installed', plainLabel(installed.version ?? '')),
    detail: plainLabel([installed.command, ...installed.args].join(' ')),
    value: { type: 'installed', installed },
  };
}

function toFailureItem(failure: string): AgentItem<InstallValue> {
  return {
    label: t('$(warning) Could not reach the registry. Check your connection or proxy.'),
    description: t('Press Enter to retry'),
    detail: plainLabel(failure),
    value: { type: 'retry' },
  };
}
