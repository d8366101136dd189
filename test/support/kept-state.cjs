/** Resets an object, or the listeners of an emitter, after a test file. */

/** @returns a function that resets the object to its current properties. */
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

/** An emitter counts its own listeners. With an older count it would lose all of them: jest's process, its messages. */
const ofEmitter = new Set(['_events', '_eventsCount']);

const ownDescriptors = (object) =>
  Reflect.ownKeys(object)
    .filter((key) => !ofEmitter.has(key))
    .map((key) => [key, Object.getOwnPropertyDescriptor(object, key)]);

const isSame = (a, b) => a !== undefined && a.value === b.value && a.get === b.get && a.set === b.set;

/** Events of jest's own process; listeners that a file has added are removed. */
function keptListeners(emitter) {
  const before = new Map(emitter.eventNames().map((name) => [name, emitter.rawListeners(name)]));
  return () => {
    for (const name of emitter.eventNames())
      for (const listener of emitter.rawListeners(name))
        if (!before.get(name)?.includes(listener)) emitter.removeListener(name, listener);
  };
}

module.exports = { keptListeners, keptProperties };
