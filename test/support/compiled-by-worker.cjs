/**
 * The transformer of the tests. It also makes each jest process compile every module only once: jest runs the modules
 * again for each test file, and would compile the same hundreds of them again.
 */
const vm = require('node:vm');
const { createTransformer } = require('@swc/jest');

const compileFunction = vm.compileFunction;
/**
 * By file name. A script that runs again returns new functions; all of them belong to the same global object
 * (one-world.cjs).
 */
const kept = new Map();

vm.compileFunction = (code, parameters, options = {}) => {
  const { filename, parsingContext } = options;
  if (filename === undefined || parsingContext === undefined)
    return compileFunction(code, parameters, options);
  const names = parameters.join();
  const before = kept.get(filename);
  if (before?.code === code && before.names === names) return before.script.runInThisContext();
  const opening = `(function(${names}){`;
  // Reported lines and columns are those of the code without the wrapper.
  const script = new vm.Script(`${opening}${code}\n})`, { filename, columnOffset: -opening.length });
  kept.set(filename, { code, names, script });
  return script.runInThisContext();
};

module.exports = { createTransformer };
