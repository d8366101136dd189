/** A table as spreadsheets export it. */
export const csv = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((row) =>
      row.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','),
    )
    .join('\r\n');

/** 1234567.00 → 1,234,567.00 */
export const grouped = (amount: string): string => {
  const [whole = '', decimals = ''] = amount.split('.');
  return `${Number(whole).toLocaleString('en-US')}.${decimals}`;
};
