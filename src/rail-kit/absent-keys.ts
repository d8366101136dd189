/** In place of the keys that a process does not have (src/secret-files.ts): it calls no provider with them. */

/** Valid wherever a key is: base64, and safe in a header. */
export const noKey = 'bm9uZSBpbiB0aGlzIHByb2Nlc3M=';

/** No host has this name (RFC 2606), so a call with `noKey` is never sent. */
export const noProvider = 'https://no-key.invalid';
