/** A token, or why there is none: `refused` is about our own credentials. */
type TokenAnswer =
  | { kind: 'token'; token: string }
  | { kind: 'refused'; text: string }
  | { kind: 'unavailable'; text: string };

/** The same as its provider gave it: `until` is when another one is asked for, in milliseconds since 1970. */
export type GivenToken =
  (Extract<TokenAnswer, { kind: 'token' }> & { until: number }) | Exclude<TokenAnswer, { kind: 'token' }>;

export interface AccessToken {
  get(timeoutMs: number): Promise<TokenAnswer>;
  /** Forgets a token the provider no longer takes, unless it has been replaced already. */
  forget(token: string): void;
}

/** A provider's bearer token: kept until it is due, and asked for once at a time, however many wait for it. */
export function accessToken(ask: (timeoutMs: number) => Promise<GivenToken>): AccessToken {
  let held: { token: string; until: number } | undefined;
  let asking: Promise<TokenAnswer> | undefined;

  async function askAndHold(timeoutMs: number): Promise<TokenAnswer> {
    const answer = await ask(timeoutMs);
    if (answer.kind === 'token') held = { token: answer.token, until: answer.until };
    return answer;
  }

  return {
    async get(timeoutMs) {
      if (held && Date.now() < held.until) return { kind: 'token', token: held.token };
      asking ??= askAndHold(timeoutMs).finally(() => (asking = undefined));
      return asking;
    },
    forget(token) {
      if (held?.token === token) held = undefined;
    },
  };
}
