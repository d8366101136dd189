/**
 * What a JSON text must not contain, found before any parser builds objects from it: deep nesting overflows the
 * stack of whoever walks the value later, parsers disagree about which of two equal keys counts, and three keys
 * reach the prototype of every object.
 */
const depthMax = 20;
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}

/**
 * A string, or a bracket, a brace or a colon outside of one. A string without an end runs to the end of the text: were
 * it no match, every quote inside of it would be tried again, and 64 kB of them take seconds.
 */
const tokens = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}:]/gs;

function decodeKey(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
}

/**
 * @returns a sentence about the first thing that is not allowed, or undefined. A text that is not JSON at all may
 *   pass: the parser, which runs next, refuses it.
 */
export function faultOfJson(text: string): string | undefined {
  /** One entry per open bracket or brace: the keys seen in it. */
  const open: Set<string>[] = [];
  let lastString: string | undefined;
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      open.push(new Set());
      if (open.length > depthMax) return `The body is nested deeper than ${String(depthMax)} levels`;
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (token === ':') {
      // Compared decoded: an escaped spelling of a key is the same key.
      const key = lastString === undefined ? undefined : decodeKey(lastString);
      const keys = open.at(-1);
      if (key === undefined || keys === undefined) continue;
      if (isForbiddenKey(key)) return `The body has a key that is not allowed: ${key}`;
      if (keys.has(key)) return 'The body has the same key twice';
      keys.add(key);
    }
    lastString = token.startsWith('"') ? token : undefined;
  }
  return undefined;
}
