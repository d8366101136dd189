/**
 * JSON from a provider, read leniently: some libraries write a byte order mark before it.
 * @returns undefined for what is not JSON, such as an HTML page.
 */
export function wireJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
