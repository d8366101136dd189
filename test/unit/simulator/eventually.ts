const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** Waits until a look gives something, and tells what it waited for when it never does. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`it never happened: ${what}`);
}
