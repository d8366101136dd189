/** Plants a fault in the bundle of a process when it is loaded, to prove that the harness finds it. */
const Module = require('node:module');
const { basename } = require('node:path');

/** The bundler numbers a name that another file also has at its top level: `context` may be `context2` there. */
function inBundle(text) {
  const literally = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  let isFirst = true;
  return new RegExp(
    literally.replace(/\bcontext\b/g, () => {
      if (!isFirst) return '\\k<context>';
      isFirst = false;
      return '(?<context>context\\d*)';
    }),
    'g',
  );
}

/**
 * @param bundle the file that is changed, such as `worker.js`.
 * @param changes pairs of a text that occurs once, and its replacement. A process whose bundle does not contain the
 * text ends at once, because a fault that is not planted would not be found.
 */
module.exports = function plant(bundle, changes) {
  const { _compile: compile } = Module.prototype;
  function planting(source, file, ...rest) {
    if (basename(file) !== bundle) return compile.call(this, source, file, ...rest);
    let changed = source;
    for (const [from, to] of changes) {
      const found = [...changed.matchAll(inBundle(from))];
      if (found.length !== 1) throw new Error(`the bundle does not contain this once: ${from}`);
      const [{ 0: text, groups }] = found;
      changed = changed.replace(text, () => to.replace(/\bcontext\b/g, groups?.context ?? 'context'));
    }
    return compile.call(this, changed, file, ...rest);
  }
  // A loader with another compile function comes later, and would use the file unchanged.
  Object.defineProperty(Module.prototype, '_compile', { get: () => planting, set: () => undefined });
};
