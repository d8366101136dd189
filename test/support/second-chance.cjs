/**
 * The second run of the faults tier, whose tests kill and cut processes that then race against each other: a failed
 * file runs once more alone. No other tier has one.
 *
 * Counts are those of closing-line-reporter.cjs, by file: { path, passed, failed, skipped, failures }.
 */

/** A run with more races than this fails, and nothing runs again. */
const racesMax = 3;

/**
 * Folders whose tests inject faults by chance, or at every point: one failure there is already a result. Not so for
 * planted faults, which a slow machine may leave no time to appear.
 */
const noSecondChance = /(?:^|\/)test\/faults\/chaos\/(?!planted\.)/;

/** @returns the paths of the files to run again. */
function worthASecondChance(files) {
  const failed = files.filter((file) => file.failed > 0);
  const tests = failed.reduce((total, file) => total + file.failed, 0);
  const isOver = tests > racesMax || failed.some(({ path }) => noSecondChance.test(path));
  return isOver ? [] : failed.map(({ path }) => path);
}

/** The run as a whole: a file that passed alone counts as passed, and its earlier failed tests are races. */
function together(first, again) {
  const passed = new Map(again.filter(({ failed }) => failed === 0).map((file) => [file.path, file]));
  const races = first
    .filter(({ path }) => passed.has(path))
    .flatMap(({ path, failures }) => failures.map((test) => ({ path, test })));
  return { files: first.map((file) => passed.get(file.path) ?? file), races };
}

module.exports = { racesMax, worthASecondChance, together };
