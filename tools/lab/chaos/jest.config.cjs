const base = require('../../../test/support/jest-base.cjs');

/** @type {import('jest').Config} `npm run chaos` alone. */
module.exports = {
  ...base,
  roots: ['<rootDir>/tools/lab'],
  testMatch: ['<rootDir>/tools/lab/chaos/chaos.run.ts'],
  reporters: ['default'],
  maxWorkers: 1,
  // As long as it takes.
  testTimeout: 24 * 3_600_000,
};
