/**
 * Jest's module loader, which reads and runs the modules of packages once for all test files of a jest process, not
 * again for each. Our own modules are loaded for each file.
 */
const { createRequire, isBuiltin } = require('node:module');
const { default: Runtime } = require('jest-runtime');

/** Packages with one state for a whole process, which each file loads itself. */
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
