/** @returns the value that the run's setup has stored under this name. */
export function named(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: tests run with jest, whose global setup sets it`);
  return value;
}
