/**
 * Loaded before one of our processes that a test starts: it reuses V8's compiled code of the first process of its kind.
 * A short process spends much of its time on compiling a bundle of 12 MB and its functions.
 */
const {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const Module = require('node:module');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const compile = Module.prototype._compile;

/** Code from V8's cache does not support `import()`, which a process needs to export traces. */
const importsLater = (process.env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '') !== '';

Module.prototype._compile = function (code, filename, ...others) {
  if (filename !== process.argv[1] || !isMainThread || importsLater)
    return compile.call(this, code, filename, ...others);
  // Node gets only the source map line of the file, so that stack traces show the lines of our sources.
  compile.call(this, code.slice(code.lastIndexOf('\n//# sourceMappingURL=')), filename);

  const place = placeFor(filename);
  const cachedData = readIfThere(place.file);
  const script = new Script(Module.wrap(code.replace(/^#!.*/, '')), { filename, cachedData });
  // Code that was compiled with other flags cannot be used here.
  if (cachedData === undefined || script.cachedDataRejected) {
    // At the exit, the cache contains every function that was called.
    process.once('exit', () => {
      keep(place, script.createCachedData());
    });
  }
  const require = Module.createRequire(filename);
  require.main = process.mainModule;
  script.runInThisContext().call(this.exports, this.exports, require, this, filename, dirname(filename));
};

/** V8 itself compares only the length of the source. */
function placeFor(filename) {
  const folder = join(dirname(filename), 'compiled');
  const kind = `${basename(filename)}-`;
  const { size, mtimeMs } = statSync(filename);
  return { folder, kind, file: join(folder, `${kind}${String(size)}-${String(mtimeMs)}-${process.version}`) };
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Renamed once it is complete: other processes may read at the same time. */
function keep({ folder, kind, file }, data) {
  try {
    mkdirSync(folder, { recursive: true });
    const unfinished = join(folder, `unfinished-${String(process.pid)}`);
    writeFileSync(unfinished, data);
    for (const old of readdirSync(folder))
      if (old.startsWith(kind)) rmSync(join(folder, old), { force: true });
    renameSync(unfinished, file);
  } catch {
    // Without it the next one compiles for itself.
  }
}
