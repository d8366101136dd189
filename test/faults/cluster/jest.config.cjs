const everyday = require('../../../jest.config.cjs');

/** The suites that run on a cluster besides its own drills, unchanged; `docs/cluster.md` says why these. */
const suites = [
  ...['cardproc', 'momo', 'stk', 'walletpay', 'xb'].map((rail) => `rails/${rail}/scenarios`),
  'rails/walletpay/payout-scenarios',
  'contract/*',
  'faults/deploy',
  'faults/hostile-provider',
  'faults/merchant-endpoint',
  'faults/random-kills',
];

/** @type {import('jest').Config} */
module.exports = {
  ...everyday,
  testMatch: ['cluster/**/*', ...suites].map((name) => `<rootDir>/test/${name}.test.ts`),
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/faults/cluster/support/global-setup.ts',
  // Each stack has seven processes of its own.
  maxWorkers: 2,
  testTimeout: 300_000,
};
