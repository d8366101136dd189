/** What jest counted, by file: { path, passed, failed }. */

const longRun = 100;
/** Of more than five hundred: of 7 that a machine at two fifths of its speed once failed, none had found a fault. */
const mostChances = 12;

/**
 * Folders whose tests break things by chance, or at every point: what fails there once is what they are for. Not so where
 * the fault was planted, which a slow machine may leave no time to show.
 */
const noSecondChance = /(?:^|\/)test\/(?:chaos|crash|sequences|second-checker)\/(?!planted\.)/;

/**
 * The files of a long run that are run again, by themselves: the few that failed. When many did, the product is
 * broken; of a short run, whoever made it looks at each. Nor is any where something was found by breaking things: the
 * run has failed.
 */
function worthASecondChance(files) {
  const failed = files.filter((file) => file.failed > 0).map(({ path }) => path);
  const isOver = failed.length > mostChances || failed.some((path) => noSecondChance.test(path));
  return files.length >= longRun && !isOver ? failed : [];
}

/** The run as a whole: a file that passed by itself counts as it did there, and has lost a race before. */
function together(first, again) {
  const passed = new Map(again.filter(({ failed }) => failed === 0).map((file) => [file.path, file]));
  const files = first.map((file) => passed.get(file.path) ?? file);
  const sum = (key) => files.reduce((total, file) => total + file[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), raced: [...passed.keys()] };
}

module.exports = { worthASecondChance, together };
