/** @type {import('jest').Config} */
module.exports = {
  rootDir: __dirname,
  roots: ['<rootDir>/test'],
  testEnvironment: '<rootDir>/test/support/one-world.cjs',
  runtime: '<rootDir>/test/support/kept-packages.cjs',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // `npm run test:cluster` has a config of its own there.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/faults/cluster/'],
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
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.cjs'],
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  // Twice the processors of the smallest machine: tests wait for timeouts for much of their time.
  maxWorkers: 4,
  // For all of them, since it is only where patience ends that has no end of its own (`waitFor`): how long a test takes
  // where much else runs is no property of the test.
  testTimeout: 900_000,
  forceExit: false,
};
