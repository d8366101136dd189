/** Rules such as "the next initiation of this payer is never answered", set through POST /control/next. */
import { randomUUID } from 'node:crypto';
import type { Journal } from './journal';

/** Every way in which a call can be made to go wrong, with the sentence that the index page shows. */
export const behaviours = {
  hang: 'Nothing happens and no answer comes until the caller gives up.',
  drop: 'The connection is closed without an answer; a callback is not sent.',
  '500': "Nothing happens and the answer is a 500 without the provider's error envelope.",
  html: 'Nothing happens and the answer is a 200 with an HTML page.',
  '401': 'Refused because the credentials are not right.',
  '429': 'Refused for sending too many requests.',
  '503': 'Nothing happens and the answer is a 503.',
  spike_arrest: 'Refused for too many requests at once, in the provider’s own words.',
  quota: 'Refused for too many requests in all, in the provider’s own words.',
  not_found: 'The answer is that nothing is known by that name.',
  expired_token: 'Refused because the access token is no longer valid.',
  other_token_error: 'Refused for the access token, under the other code that the provider has for it.',
  delay:
    'It happens at once and is answered after ms real milliseconds; a callback leaves ms virtual ones later.',
  act_then_500: 'It happens, and then the answer is a 500 HTML page.',
  act_then_error: 'It happens, and then the answer is the provider’s own "internal server error".',
  act_then_drop: 'It happens, and then the connection is closed without an answer.',
  truncated: 'It happens, and the answer breaks off in its middle.',
  act_late: 'The connection is closed without an answer, and it happens ms real milliseconds later.',
  not_ready: 'The answer is that it is still being made.',
  failed: 'The answer is that it could not be made.',
  duplicate: 'The callback is sent ten times at once.',
  forge: 'Two forged callbacks, each wrong in its own way, are sent before the right one.',
  reorder: 'The callback is delivered before the initiation is answered.',
  contradict: 'A callback that says that it failed is sent before the one that says that it was paid.',
  bad_digest: 'The callback is sent with the digest of another body.',
  expired_signature: 'The callback is sent with a signature that has expired.',
  aged_signature: 'The callback is sent with a signature of 25 minutes ago that has not expired.',
  unknown_key: 'The callback is signed with a key that is not in the list of public keys.',
  unsigned: 'The callback is sent without a signature.',
  bad_signature: 'The callback is sent with a signature of another text.',
  foreign_cert_url: 'The callback names a certificate on a host that is not the provider’s.',
  expired_cert: 'The callback is signed with a certificate that has expired.',
  untrusted_cert: 'The callback is signed with a certificate of an authority that nobody knows.',
  orphan_cert: 'The callback is signed with a certificate whose issuer’s can be found nowhere.',
  changed_body: 'The callback is sent with another body than the one that was signed.',
  missing_header: 'The callback is sent without the header that holds its signature.',
  wrong_challenge: 'The callback is sent with a challenge that is not the agreed one.',
  other_event: 'An event of another kind is sent before the callback.',
  switched_off: 'No callback is sent any more, until POST /control/reset.',
  rule_limited:
    'A payer who was asked for the same amount less than two minutes before is not asked: callback 17. Until POST /control/reset.',
} as const satisfies Record<string, string>;

export type Behaviour = keyof typeof behaviours;

/** A rule with one of these is never used up. */
const STANDING: readonly Behaviour[] = ['switched_off', 'rule_limited'];

/** What can go wrong with one call of a provider, and what a rule for it may be narrowed by. */
export interface FaultyCall {
  behaviours: readonly Behaviour[];
  where: readonly string[];
}
export type FaultyCalls = Readonly<Record<string, FaultyCall>>;

/** What is known about the payment of a call, for example its payer. */
export type Facts = Readonly<Record<string, string>>;

export interface FaultRule {
  id: string;
  provider: string;
  call: string;
  behave: Behaviour;
  /** How many more calls it applies to. */
  times: number;
  ms?: number;
  where?: Facts;
}

export interface Faults {
  add(rule: Omit<FaultRule, 'id'>): FaultRule;
  pending(): FaultRule[];
  /** The oldest rule that fits, which is thereby used once. */
  take(provider: string, call: string, facts: Facts, among?: readonly Behaviour[]): FaultRule | undefined;
  clear(): number;
}

export function openFaults(journal: Journal): Faults {
  const rules = journal.collection<FaultRule>('faults');
  return {
    add(given) {
      const rule = { id: randomUUID(), ...given };
      rules.put(rule.id, rule);
      return rule;
    },
    pending: () => [...rules.values()],
    take(provider, call, facts, among) {
      if (rules.size === 0) return undefined;
      for (const rule of rules.values()) {
        if (rule.provider !== provider || rule.call !== call) continue;
        if (among && !among.includes(rule.behave)) continue;
        if (!Object.entries(rule.where ?? {}).every(([name, value]) => facts[name] === value)) continue;
        if (STANDING.includes(rule.behave)) return rule;
        if (rule.times > 1) rules.put(rule.id, { ...rule, times: rule.times - 1 });
        else rules.delete(rule.id);
        return rule;
      }
      return undefined;
    },
    clear() {
      const cleared = rules.size;
      for (const { id } of [...rules.values()]) rules.delete(id);
      return cleared;
    },
  };
}
