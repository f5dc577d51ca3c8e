import { elicitationScenes, permissionScenes, reasonScenes } from './asked';
import { dockScenes } from './dock';
import { entryScenes } from './entries';
import { leftScenes } from './left';
import { auditScenes, raceScenes, trafficScenes } from './panels';
import { proseScenes } from './prose';
import type { Scene } from './scene';
import { startScenes } from './start';
import { talkScenes } from './talk';
import { toolScenes } from './tools';
import { railScene, turnScenes } from './turns';

/** Every state of the pages that a user may see. */
export const scenes: readonly Scene[] = [
  ...startScenes,
  ...talkScenes,
  ...entryScenes,
  ...proseScenes,
  ...permissionScenes,
  ...reasonScenes,
  ...elicitationScenes,
  ...toolScenes,
  ...turnScenes,
  ...dockScenes,
  railScene,
  ...leftScenes,
  ...trafficScenes,
  ...auditScenes,
  ...raceScenes,
];
