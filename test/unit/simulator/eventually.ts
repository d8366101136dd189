const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** Polls until the function returns a value; on a timeout the error names what it waited for. */
export async function eventually<T>(
  what: string,
  check: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const seen = await check();
    if (seen !== undefined) return seen;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`it never happened: ${what}`);
}
