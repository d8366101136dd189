/** One request, as it is generated, sent, checked and printed for a replay. */
export interface FuzzRequest {
  index: number;
  /** The declared path under test. */
  route: string;
  /** Merchants' endpoints have one error format; providers and browsers have their own. */
  kind: 'endpoint' | 'notification' | 'unknown';
  method: string;
  path: string;
  headers: [string, string][];
  /** In base64, because it may be no text. */
  body?: string;
  /** A text in its values that must appear in no error and no log. */
  canary: string;
}

/** Values that differ between runs, such as a merchant's keys, are names in a request. */
export const placeholder = (name: string, place = 0) => `<<${name}:${String(place)}>>`;

const placeholders = /<<(\w{1,20}):(\d{1,6})>>/g;

/** Replaces the names by this run's values. */
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
