const everyday = require('../../../../jest.config.cjs');

/** @type {import('jest').Config} `npm run crash-points` alone; its own tests are run with all others. */
module.exports = {
  ...everyday,
  testMatch: ['<rootDir>/test/tools/lab/crash/crash-points.run.ts'],
  reporters: ['default'],
  maxWorkers: 1,
  // As long as it takes.
  testTimeout: 24 * 3_600_000,
};
