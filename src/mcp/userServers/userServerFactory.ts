import type { KeyValueStore } from '../../node/fs/keyValueFiles';
import type { DefinitionPins } from '../availability/definitionPins';
import type { ServerDefinition } from './config/serverDefinition';
import type { ServerWindow } from './connection/serverWindow';
import type { ServerLauncher } from './serverLauncher';
import type { UserServerOwner } from './userServer';
import { UserServer } from './userServer';

/** Creates the user servers of a window, which share these objects. */
export class UserServerFactory {
  /** @param stored listings and pins, kept across restarts */
  constructor(
    private readonly launcher: ServerLauncher,
    readonly window: ServerWindow,
    private readonly pins: DefinitionPins,
    private readonly stored: KeyValueStore,
  ) {}

  create(definition: ServerDefinition, owner: UserServerOwner): UserServer {
    return new UserServer(definition, owner, this.launcher, this.window, this.pins, this.stored);
  }
}
