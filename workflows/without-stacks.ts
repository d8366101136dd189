/**
 * Temporal's SDK (1.24) records for each promise in a workflow where it was created, for its stack-trace query. It has
 * no switch for that. It calls `new Error()` for each promise, and records nothing if the error has no stack. So an
 * error without any text gets no stack here. All others keep theirs, of four frames: they are in Temporal's UI, if a
 * workflow task fails. What a workflow waits for is in its details (operator-view.ts). No command depends on any of it.
 * The bundler must load this file before any workflow: later the globals are frozen.
 */
const original = Error;
original.stackTraceLimit = 4;

const withoutStack = Object.freeze(Object.create(original.prototype) as object);

globalThis.Error = new Proxy(original, {
  construct: (target, given: unknown[], made: new () => object) =>
    given.length === 0 && made === globalThis.Error
      ? withoutStack
      : (Reflect.construct(target, given, made) as object),
});
