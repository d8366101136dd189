/**
 * Loaded before a process of ours that a test starts: what the first of its kind has compiled, the next ones take over.
 * Compiling a bundle of 12 MB, and then each function as it is first called, is much of what a short life costs.
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

/** What V8 has kept knows no `import()` any more, by which alone a process that exports traces loads what does. */
const importsLater = (process.env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '') !== '';

Module.prototype._compile = function (code, filename, ...others) {
  if (filename !== process.argv[1] || !isMainThread || importsLater)
    return compile.call(this, code, filename, ...others);
  // Of the file itself, Node is shown only where its source map is: traces name our lines as ever.
  compile.call(this, code.slice(code.lastIndexOf('\n//# sourceMappingURL=')), filename);

  const place = placeFor(filename);
  const cachedData = readIfThere(place.file);
  const script = new Script(Module.wrap(code.replace(/^#!.*/, '')), { filename, cachedData });
  // Compiled with other flags, it is of no use here.
  if (cachedData === undefined || script.cachedDataRejected) {
    // By then it knows all functions that were called in a whole life.
    process.once('exit', () => {
      keep(place, script.createCachedData());
    });
  }
  const require = Module.createRequire(filename);
  require.main = process.mainModule;
  script.runInThisContext().call(this.exports, this.exports, require, this, filename, dirname(filename));
};

/** V8 itself compares no more of the source than its length. */
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

/** Under its name once it is whole: others may look at the same time. */
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
