import { signal } from '@preact/signals';
import type { Race, RaceHostMessage } from '../../shared/protocol/racePageProtocol';
import { startPage } from '../page/startPage';
import { RacesApp } from './app';

/** Undefined until the host has sent them. */
const races = signal<readonly Race[] | undefined>(undefined);
startPage<RaceHostMessage>(
  { races: true },
  (message) => {
    races.value = message.races;
  },
  (post) => <RacesApp races={races} post={post} />,
);
