const base = require('../../support/jest-base.cjs');

/**
 * The suites that run on a cluster besides its own drills, unchanged. Faults that count or read the traffic to the database
 * cannot run here, because their proxy cannot read TLS; those with servers of their own would test nothing new.
 */
const suites = [
  ...['cardproc', 'momo', 'stk', 'walletpay', 'xb'].map((rail) => `e2e/rails/${rail}/scenarios`),
  'faults/contract/*',
  'faults/deploy',
  'faults/hostile-provider',
  'faults/merchant-endpoint',
  'faults/random-kills',
];

/** @type {import('jest').Config} */
module.exports = {
  ...base,
  testMatch: [
    '<rootDir>/test/faults/cluster/*.run.ts',
    ...suites.map((name) => `<rootDir>/test/${name}.test.ts`),
  ],
  globalSetup: '<rootDir>/test/faults/cluster/support/global-setup.ts',
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.cjs'],
  // Each stack has seven processes of its own.
  maxWorkers: 2,
  testTimeout: 300_000,
};
