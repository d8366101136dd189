/** One request, as it is generated, sent, judged and printed for a replay. */
export interface FuzzRequest {
  index: number;
  /** The declared path, which says what is being tried. */
  route: string;
  /** Of merchants, whose errors have the one shape; providers and browsers are answered in their own. */
  kind: 'endpoint' | 'notification' | 'unknown';
  method: string;
  path: string;
  headers: [string, string][];
  /** In base64, since it need not be text. */
  body?: string;
  /** A text that stands in its values and must come back in no error and in no log. */
  canary: string;
}

/** What differs between two runs, such as a merchant's keys, stands in a request as a name. */
export const placeholder = (name: string, place = 0) => `<<${name}:${String(place)}>>`;

const placeholders = /<<(\w{1,20}):(\d{1,6})>>/g;

/** Puts the values of this run in the places of their names. */
export function filledIn(text: string, valueOf: (name: string, place: number) => string): string {
  return text.replace(placeholders, (_match, name: string, place: string) => valueOf(name, Number(place)));
}

export function replayLine(request: FuzzRequest): string {
  return `npm run fuzz -- --replay ${Buffer.from(JSON.stringify(request)).toString('base64url')}`;
}

/** @throws Error for anything that no run has printed. */
export function readReplay(text: string): FuzzRequest {
  const request = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as FuzzRequest;
  if (typeof request.path !== 'string' || !Array.isArray(request.headers)) throw new Error('not a replay');
  return request;
}
