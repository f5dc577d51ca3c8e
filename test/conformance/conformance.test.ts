import { conformanceSuite } from './suite';

describe('conformance', function () {
  conformanceSuite('node');
});
