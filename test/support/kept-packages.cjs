/**
 * Jest's loader of modules, which reads and runs the modules of packages once for all files of tests that a process of jest
 * runs, not again for each. Our own modules every file has for itself.
 */
const { createRequire, isBuiltin } = require('node:module');
const { default: Runtime } = require('jest-runtime');

/** Those with one state for a whole process, that each file makes for itself. */
const apart = ['@temporalio/worker', '@temporalio/core-bridge'];

module.exports = class KeptPackages extends Runtime {
  requireModule(from, name, options, isActual) {
    const isOfJest = options?.isInternalModule ?? false;
    return !isOfJest && isKept(name)
      ? createRequire(from)(name)
      : super.requireModule(from, name, options, isActual);
  }
};

function isKept(name) {
  if (name === undefined || /^[./\\]|^\w:/.test(name) || isBuiltin(name)) return false;
  return !apart.some((one) => name === one || name.startsWith(`${one}/`));
}
