/**
 * The environment of the tests: the global object of jest's own process. Jest would give each file a new one, in which
 * every global name (`Object`, `Promise`) is looked up through a proxy, and code compiled for an earlier file cannot be
 * reused. Here each file finds the global object as the first file found it.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');
const { keptListeners, keptProperties } = require('./kept-state.cjs');

/** What test files leave for later files; see left-by-files.ts. */
globalThis.malipoLeftByFiles = {};

module.exports = class OneWorld extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const { constructor: ModuleMocker } = this.moduleMocker;
    const { constructor: FakeTimers } = this.fakeTimersModern;
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = undefined;
    this.fakeTimersModern = new FakeTimers({ config: config.projectConfig, global: globalThis });
    this.restore = [
      keptProperties(globalThis),
      keptProperties(process),
      keptListeners(process),
      keptSettings(),
      endContexts,
    ];
  }

  async teardown() {
    await super.teardown();
    for (const restore of this.restore) restore();
  }
};

/** Once code runs in such a context, Node passes it on to each promise and each timer. */
const contexts = new Set();
for (const method of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...args) {
    contexts.add(this);
    return original.apply(this, args);
  };
}

/** Contexts of a file, and of jest for it, would be passed on in all later files, at a growing cost. */
function endContexts() {
  for (const context of contexts) context.disable();
  contexts.clear();
}

function keptSettings() {
  const before = { ...process.env };
  const { exitCode } = process;
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    process.exitCode = exitCode;
  };
}
