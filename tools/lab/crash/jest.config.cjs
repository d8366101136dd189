const base = require('../../../test/support/jest-base.cjs');

/** @type {import('jest').Config} Only for `npm run crash-points`; its own tests run with all others. */
module.exports = {
  ...base,
  roots: ['<rootDir>/tools/lab'],
  testMatch: ['<rootDir>/tools/lab/crash/crash-points.run.ts'],
  reporters: ['default'],
  maxWorkers: 1,
  // Unlimited.
  testTimeout: 24 * 3_600_000,
};
