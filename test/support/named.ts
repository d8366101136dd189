/** @returns what the run's set-up has left under that name. */
export function named(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: tests run with jest, whose global setup sets it`);
  return value;
}
