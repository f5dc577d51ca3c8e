import { conformanceSuite } from './suite';

describe('conformance', function () {
  this.timeout(30_000);
  conformanceSuite('node');
});
