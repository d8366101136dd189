/** Plants a fault in the bundle of a process as it is loaded, so that the harness can be seen to find it. */
const Module = require('node:module');
const { basename } = require('node:path');

/**
 * @param bundle the file that is changed, such as `worker.js`.
 * @param changes pairs of what stands there once, and of what stands there instead. A process whose bundle does not have
 *   it ends at once: a fault that is not planted would not be found.
 */
module.exports = function plant(bundle, changes) {
  const { _compile: compile } = Module.prototype;
  Module.prototype._compile = function (source, file, ...rest) {
    if (basename(file) !== bundle) return compile.call(this, source, file, ...rest);
    let changed = source;
    for (const [from, to] of changes) {
      if (changed.split(from).length !== 2) throw new Error(`the bundle does not have it once: ${from}`);
      changed = changed.replace(from, () => to);
    }
    return compile.call(this, changed, file, ...rest);
  };
};
