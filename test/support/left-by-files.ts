/** What a test file leaves for later files in the same jest process, although each file loads its own modules. */

/** test/support/one-world.cjs has created it before the first file. */
const { malipoLeftByFiles: left } = globalThis as typeof globalThis & {
  malipoLeftByFiles: Record<string, unknown>;
};

/** @param make creates the value when no file has left one under this name. */
export function leftByFiles<T>(name: string, make: () => T): T {
  left[name] ??= make();
  return left[name] as T;
}
