/** Which texts we take for the address of a mail: what SMTP carries unquoted, in ASCII, and nothing that is two things. */

/** The columns' width, and what RFC 5321 (4.5.3.1.3) leaves of a path. */
const addressLengthMax = 254;
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const localPartLengthMax = 64;
const domain = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;

/** True for `ana@example.org`; never for anything with a space, a line end, a comma, a quote or a name beside it. */
export function isMailAddress(text: string): boolean {
  if (text.length > addressLengthMax) return false;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  return local.length <= localPartLengthMax && localPart.test(local) && domain.test(text.slice(at + 1));
}

/** True for text that fits into one line of a header, in any language. */
export function isHeaderText(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

export interface Mailbox {
  /** What the recipient sees beside the address; may be empty. */
  name: string;
  address: string;
}

/** Reads `ana@example.org` and `Ana of Duka <ana@example.org>`. */
export function readMailbox(text: string): Mailbox | undefined {
  const [, name = '', address = ''] = /^([^<>"]*)<([^<>]+)>$/.exec(text) ?? ['', '', text];
  return isMailAddress(address) && isHeaderText(name) ? { name: name.trim(), address } : undefined;
}
