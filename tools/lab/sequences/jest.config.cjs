const base = require('../../../test/support/jest-base.cjs');

/** @type {import('jest').Config} `npm run sequences` alone; a few of them are run with all other tests. */
module.exports = {
  ...base,
  roots: ['<rootDir>/tools/lab'],
  testMatch: ['<rootDir>/tools/lab/sequences/sequences.run.ts'],
  reporters: ['default'],
  maxWorkers: 1,
  // As long as it takes.
  testTimeout: 24 * 3_600_000,
};
