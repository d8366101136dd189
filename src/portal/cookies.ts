/**
 * What the browser keeps for us. By https each name begins with `__Host-`, so that no other host can have set it and it
 * goes nowhere else; by http, which only the sandbox has, browsers would refuse such a name.
 */
const names = {
  session: { maxAgeSeconds: 12 * 3_600 },
  /** Of who is not signed in: what proves that the form comes from a page of ours. */
  visit: { maxAgeSeconds: 24 * 3_600 },
  /** A link that was mailed, while its page is open. */
  link: { maxAgeSeconds: 3_600 },
  /** Its owner was let in with this browser before; see users/tries.ts. */
  browser: { maxAgeSeconds: 180 * 86_400 },
  language: { maxAgeSeconds: 365 * 86_400 },
} as const;

export type CookieName = keyof typeof names;

export interface Cookies {
  get(name: CookieName): string | undefined;
  /** The header that sets one. */
  set(name: CookieName, value: string): string;
  clear(name: CookieName): string;
}

const valueShape = /^[\w.~-]{1,1000}$/;

export function cookiesOf(header: string | undefined, isSecure: boolean): Cookies {
  const nameOf = (name: CookieName) => `${isSecure ? '__Host-' : 'malipo-'}${name}`;
  const given = new Map<string, string>();
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0) given.set(part.slice(0, at).trim(), part.slice(at + 1).trim());
  }
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    get(name) {
      const value = given.get(nameOf(name));
      return value !== undefined && valueShape.test(value) ? value : undefined;
    },
    set(name, value) {
      if (!valueShape.test(value)) throw new RangeError('no value of a cookie');
      return `${nameOf(name)}=${value}; ${attributes}; Max-Age=${String(names[name].maxAgeSeconds)}`;
    },
    clear: (name) => `${nameOf(name)}=; ${attributes}; Max-Age=0`,
  };
}
