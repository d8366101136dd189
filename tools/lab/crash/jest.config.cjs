const base = require('../../../test/support/jest-base.cjs');

/** @type {import('jest').Config} `npm run crash-points` alone; its own tests are run with all others. */
module.exports = {
  ...base,
  roots: ['<rootDir>/tools/lab'],
  testMatch: ['<rootDir>/tools/lab/crash/crash-points.run.ts'],
  reporters: ['default'],
  maxWorkers: 1,
  // As long as it takes.
  testTimeout: 24 * 3_600_000,
};
