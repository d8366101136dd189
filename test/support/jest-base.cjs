const { join } = require('node:path');

/**
 * What all runs of jest have in common: the tiers of jest.config.cjs, and the harnesses that a command of their own runs.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  rootDir: join(__dirname, '..', '..'),
  roots: ['<rootDir>/test'],
  testEnvironment: '<rootDir>/test/support/one-world.cjs',
  runtime: '<rootDir>/test/support/kept-packages.cjs',
  testPathIgnorePatterns: ['/node_modules/'],
  transform: {
    '^.+\\.ts$': [
      '<rootDir>/test/support/compiled-by-worker.cjs',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } },
    ],
  },
  // Only test files are looked up by name; the rest is found by import.
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.malipo/'],
  setupFiles: ['<rootDir>/test/support/watch-answers.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  // For all of them, since it is only where patience ends that has no end of its own (`waitFor`): how long a test takes
  // where much else runs is no property of the test.
  testTimeout: 900_000,
};
