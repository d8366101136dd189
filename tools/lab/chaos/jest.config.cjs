const base = require('../../../test/support/jest-base.cjs');

/** @type {import('jest').Config} Only for `npm run chaos`. */
module.exports = {
  ...base,
  roots: ['<rootDir>/tools/lab'],
  testMatch: ['<rootDir>/tools/lab/chaos/chaos.run.ts'],
  reporters: ['default'],
  maxWorkers: 1,
  // Unlimited.
  testTimeout: 24 * 3_600_000,
};
