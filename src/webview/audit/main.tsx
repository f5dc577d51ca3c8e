import type { AuditHostMessage } from '../../shared/protocol/auditPageProtocol';
import { startPage } from '../page/startPage';
import { AuditApp } from './app';
import { AuditStore } from './auditStore';

const store = new AuditStore();
startPage<AuditHostMessage>(
  { records: true },
  (message) => store.receive(message),
  (post) => <AuditApp store={store} post={post} />,
);
