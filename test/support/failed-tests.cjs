const { stripVTControlCharacters } = require('node:util');

const shown = { reasons: 12, lines: 12, characters: 900 };

/**
 * The failed tests of a run, for its last lines: a log that is cut in the middle still names them and their reasons.
 * Tests of a file that failed for one reason are one entry.
 *
 * @param files the counts of closing-line-reporter.cjs.
 * @returns lines.
 */
function failedTests(files) {
  const entries = files.flatMap(({ path, failures, reasons = [] }) => {
    const byReason = new Map();
    failures.forEach((name, n) => {
      const reason = briefly(reasons[n] ?? '');
      byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
    });
    return [...byReason].map(([reason, [first, ...others]]) => {
      const more = others.length === 0 ? '' : ` (and ${String(others.length)} more)`;
      return [`FAILED ${path}: ${first}${more}`, ...indented(reason)];
    });
  });
  const left = entries.length - shown.reasons;
  const cut = left > 0 ? [`${String(left)} more reasons are in the log above`] : [];
  return [...entries.slice(0, shown.reasons).flat(), ...cut];
}

/** The message, without the stack. */
function briefly(reason) {
  const lines = stripVTControlCharacters(reason).split('\n');
  const stack = lines.findIndex((line) => /^\s+at /.test(line));
  const message = (stack < 0 ? lines : lines.slice(0, stack)).filter((line) => line.trim() !== '');
  return message.slice(0, shown.lines).join('\n').slice(0, shown.characters);
}

const indented = (text) => (text === '' ? [] : text.split('\n').map((line) => `  ${line}`));

module.exports = { failedTests };
