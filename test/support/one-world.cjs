/**
 * The environment of the tests: the very world that jest's process has. Jest would give each file a world of its own, in
 * which every name that is everybody's (`Object`, `Promise`) is looked up through a proxy, and in which nothing that was
 * compiled, or optimized, for the file before is of use. Here a file finds the world as the first one did.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

/** What files of tests leave to those after them; see left-by-files.ts. */
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

/** @returns what gives the object back the properties that it has now, and no others. */
function keptProperties(object) {
  const before = new Map(ownDescriptors(object));
  return () => {
    for (const [key, { configurable }] of ownDescriptors(object))
      if (configurable && !before.has(key)) delete object[key];
    for (const [key, descriptor] of before) {
      const now = Object.getOwnPropertyDescriptor(object, key);
      if (now?.configurable === false || isSame(now, descriptor)) continue;
      Object.defineProperty(object, key, descriptor);
    }
  };
}

const ownDescriptors = (object) =>
  Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)]);

const isSame = (a, b) => a !== undefined && a.value === b.value && a.get === b.get && a.set === b.set;

/** Events of jest's own process, whoever hears them now. */
function keptListeners(emitter) {
  const before = new Map(emitter.eventNames().map((name) => [name, emitter.rawListeners(name)]));
  return () => {
    for (const name of emitter.eventNames())
      for (const listener of emitter.rawListeners(name))
        if (!before.get(name)?.includes(listener)) emitter.removeListener(name, listener);
  };
}

/** From the first time that something runs in one, Node hands it on to each promise and each timer. */
const contexts = new Set();
for (const method of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...args) {
    contexts.add(this);
    return original.apply(this, args);
  };
}

/** Those that a file has made, and jest for it, would be handed on for all files after it, at a cost that grows with each. */
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
