import type { Clock } from '../../base/clock';
import type { JsonObject } from '../../base/json';
import type { Mutex } from '../../node/fs/fileMutex';
import type { KeyValueStore } from '../../node/fs/keyValueFiles';
import type { SessionHandle } from '../../session/sessionHandle';
import type { DefinitionPins } from '../availability/definitionPins';
import type { SignInUi } from './auth/oauthGrant';
import type { PreparingOptions } from './config/prepareServer';
import type { SecretStorage } from './config/serverInputs';
import type { Route } from './serverRoute';

export interface UserServerOptions extends PreparingOptions {
  readonly clock: Clock;
  readonly version: string;
  /** Absolute. */
  readonly folders: () => readonly string[];
  /** The route to a chat's agent; undefined before that agent was started. */
  readonly route: (session: SessionHandle) => Route | undefined;
  /** Returns a JSON Schema check, after loading its library. */
  readonly schemaCheck: () => Promise<(schema: JsonObject) => boolean>;
  /** Listings and pins, kept across restarts. */
  readonly stored: KeyValueStore;
  readonly pins: DefinitionPins;
  readonly vault: SecretStorage;
  readonly signInUi: SignInUi;
  readonly inTurn: Mutex;
}
