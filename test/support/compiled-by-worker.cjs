/**
 * The transformer of the tests. Loaded into each of jest's processes, it also has them compile every module once: jest
 * runs the modules anew for each file of tests, for which it would compile the same hundreds of them again.
 */
const vm = require('node:vm');
const { createTransformer } = require('@swc/jest');

const compileFunction = vm.compileFunction;
/** By the name of its file. Run again, a script gives new functions; all of them belong to the one world of one-world.cjs. */
const kept = new Map();

vm.compileFunction = (code, parameters, options = {}) => {
  const { filename, parsingContext } = options;
  if (filename === undefined || parsingContext === undefined)
    return compileFunction(code, parameters, options);
  const names = parameters.join();
  const before = kept.get(filename);
  if (before?.code === code && before.names === names) return before.script.runInThisContext();
  const opening = `(function(${names}){`;
  // Lines and columns of the code are told as if it stood alone.
  const script = new vm.Script(`${opening}${code}\n})`, { filename, columnOffset: -opening.length });
  kept.set(filename, { code, names, script });
  return script.runInThisContext();
};

module.exports = { createTransformer };
