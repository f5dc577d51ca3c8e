import type { TrafficHostMessage } from '../../shared/protocol/trafficPageProtocol';
import { startPage } from '../page/startPage';
import { TrafficApp } from './app';
import { TrafficStore } from './trafficStore';

const store = new TrafficStore();
startPage<TrafficHostMessage>(
  { connections: true, entries: true },
  (message) => store.receive(message),
  (post) => <TrafficApp store={store} post={post} />,
);
