/** What a file of tests leaves to those after it in the same process of jest, whose modules each has for itself. */

/** test/support/one-world.cjs has made the place, before the first file. */
const { malipoLeftByFiles: left } = globalThis as typeof globalThis & {
  malipoLeftByFiles: Record<string, unknown>;
};

/** @param make what is left under the name, where no file has left it yet. */
export function leftByFiles<T>(name: string, make: () => T): T {
  left[name] ??= make();
  return left[name] as T;
}
