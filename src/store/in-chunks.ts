/** Rows per statement: enough to save round trips, and few enough for one packet and its placeholders. */
const rowsMax = 200;

/** @returns the rows in their order, in lists of at most `size`. */
export function inChunks<T>(rows: readonly T[], size = rowsMax): T[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, n) =>
    rows.slice(n * size, (n + 1) * size),
  );
}
