/** Fault rules such as "the next initiation of this payer gets no answer", set by POST /control/next. */
import { randomUUID } from 'node:crypto';
import type { Journal } from './journal';

/** Every fault, with its sentence on the index page. */
export const behaviours = {
  hang: 'Nothing happens, and no answer comes until the caller disconnects.',
  drop: 'The connection is closed without an answer; a callback is not sent.',
  '500': "Nothing happens and the answer is a 500 without the provider's error envelope.",
  html: 'Nothing happens and the answer is a 200 with an HTML page.',
  '401': 'Rejected: the credentials are wrong.',
  '429': 'Rejected: too many requests.',
  '503': 'Nothing happens and the answer is a 503.',
  spike_arrest: 'Rejected: too many requests at once, in the provider’s own words.',
  quota: 'Rejected: too many requests in total, in the provider’s own words.',
  not_found: 'The answer is that nothing is known by this name.',
  expired_token: 'Rejected: the access token is no longer valid.',
  other_token_error: 'Rejected: the access token is not valid, with the provider’s other code for it.',
  delay:
    'It happens at once, and the answer comes after ms real milliseconds; a callback leaves ms virtual ones later.',
  act_then_500: 'It happens, and then the answer is a 500 HTML page.',
  act_then_error: 'It happens, and then the answer is the provider’s own "internal server error".',
  act_then_drop: 'It happens, and then the connection is closed without an answer.',
  truncated: 'It happens, and the answer stops in the middle.',
  act_late: 'The connection is closed without an answer, and it happens ms real milliseconds later.',
  not_ready: 'The answer is that the statement is not ready yet.',
  failed: 'The answer is that the statement failed.',
  duplicate: 'The callback is sent ten times at once.',
  forge: 'Two forged callbacks, each with another fault, are sent before the genuine one.',
  reorder: 'The callback is delivered before the initiation is answered.',
  contradict: 'A callback with a failure is sent before the one with success.',
  bad_digest: 'The callback is sent with the digest of another body.',
  expired_signature: 'The callback is sent with a signature that has expired.',
  aged_signature: 'The callback is sent with a signature that is 25 minutes old and has not expired.',
  unknown_key: 'The callback is signed with a key that is not among the public keys.',
  unsigned: 'The callback is sent without a signature.',
  bad_signature: 'The callback is sent with a signature of another text.',
  foreign_cert_url: 'The callback names a certificate on a host that is not the provider’s.',
  expired_cert: 'The callback is signed with a certificate that has expired.',
  untrusted_cert: 'The callback is signed with a certificate of an unknown authority.',
  orphan_cert: 'The callback is signed with a certificate whose issuer’s certificate is available nowhere.',
  changed_body: 'The callback is sent with another body than the signed one.',
  missing_header: 'The callback is sent without its signature header.',
  wrong_challenge: 'The callback is sent with a wrong challenge.',
  other_event: 'An event of another kind is sent before the callback.',
  switched_off: 'No callbacks are sent until POST /control/reset.',
  rule_limited:
    'A payer with a prompt for the same amount within two minutes gets no prompt: callback 17. Until POST /control/reset.',
} as const satisfies Record<string, string>;

export type Behaviour = keyof typeof behaviours;

/** A rule with one of these stays until the reset. */
const STANDING: readonly Behaviour[] = ['switched_off', 'rule_limited'];

/** A provider's call with its possible faults, and the fields that a rule can match. */
export interface FaultyCall {
  behaviours: readonly Behaviour[];
  where: readonly string[];
}
export type FaultyCalls = Readonly<Record<string, FaultyCall>>;

/** The known values of a call's payment, such as its payer. */
export type Facts = Readonly<Record<string, string>>;

export interface FaultRule {
  id: string;
  provider: string;
  call: string;
  behave: Behaviour;
  /** The number of calls left. */
  times: number;
  ms?: number;
  where?: Facts;
}

export interface Faults {
  add(rule: Omit<FaultRule, 'id'>): FaultRule;
  pending(): FaultRule[];
  /** Finds the oldest matching rule, and counts one use of it. */
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
