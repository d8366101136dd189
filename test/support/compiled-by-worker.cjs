/**
 * The transformer of the tests. Loaded into each of jest's processes, it also has them compile every module once: jest
 * runs each file of tests in a world of its own, for which it would compile the same hundreds of modules again.
 */
const vm = require('node:vm');
const { createTransformer } = require('@swc/jest');

const compileFunction = vm.compileFunction;
/** By the name of its file. A script belongs to no world: it gives each one functions of its own. */
const kept = new Map();

vm.compileFunction = (code, parameters, options = {}) => {
  const { filename, parsingContext } = options;
  if (filename === undefined || parsingContext === undefined)
    return compileFunction(code, parameters, options);
  const names = parameters.join();
  const before = kept.get(filename);
  if (before?.code === code && before.names === names) return before.script.runInContext(parsingContext);
  const opening = `(function(${names}){`;
  // Lines and columns of the code are told as if it stood alone.
  const script = new vm.Script(`${opening}${code}\n})`, { filename, columnOffset: -opening.length });
  kept.set(filename, { code, names, script });
  return script.runInContext(parsingContext);
};

module.exports = { createTransformer };
