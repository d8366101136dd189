/** Every possible answer to a client, and the expected result. */
import type { SentCall, Verdict } from './languages';
import { page, refused, taken, type Step } from './scripted-front';

export interface Scenario {
  steps: Step[];
  call?: Partial<SentCall>;
  wanted: { kind: Verdict['kind']; [field: string]: unknown };
  /** The number of attempts. */
  tries: number;
}

const replayed = { headers: { 'Idempotent-Replayed': 'true' } };
const adds = { operation: 'addWebhookEndpoint', input: { url: 'https://books.example.org' } } as const;
const reads = { operation: 'momoStatus', input: { transaction_id: '0199' } } as const;

export const scenarios: Record<string, Scenario> = {
  'an acceptance': {
    steps: [taken({ transaction_id: '7' })],
    wanted: { kind: 'taken', body: { transaction_id: '7' } },
    tries: 1,
  },
  'an acceptance after a busy moment': {
    steps: [refused('SERVICE_BUSY'), refused('RATE_LIMITED'), taken()],
    wanted: { kind: 'taken' },
    tries: 3,
  },
  'an acceptance after a lost answer': { steps: ['lost', taken()], wanted: { kind: 'taken' }, tries: 2 },

  // Answers that prove that nothing was started.
  'a refusal': {
    steps: [refused('INVALID_PHONE_NUMBER')],
    wanted: {
      kind: 'refused',
      status: 400,
      code: 'INVALID_PHONE_NUMBER',
      requestId: 'req-1',
      paymentId: null,
    },
    tries: 1,
  },
  'a refusal that names a payment': {
    steps: [refused('DUPLICATE_PAYMENT', { payment_id: 'pay-9' })],
    wanted: { kind: 'refused', status: 409, paymentId: 'pay-9' },
    tries: 1,
  },
  'wrong keys': {
    steps: [refused('INVALID_CREDENTIALS')],
    wanted: { kind: 'refused', status: 401 },
    tries: 1,
  },
  'too many requests, to the end': {
    steps: [refused('RATE_LIMITED')],
    wanted: { kind: 'refused', status: 429, code: 'RATE_LIMITED' },
    tries: 4,
  },
  'a busy service, to the end': {
    steps: [refused('SERVICE_BUSY')],
    wanted: { kind: 'refused', status: 503, code: 'SERVICE_BUSY' },
    tries: 4,
  },
  'a provider that refuses our account': {
    steps: [refused('PROVIDER_ACCOUNT_REFUSED')],
    wanted: { kind: 'refused', status: 502 },
    tries: 1,
  },

  // Answers that leave open whether something was started.
  'no answer at all': {
    steps: ['lost'],
    call: { idempotencyKey: 'pay-1' },
    wanted: { kind: 'unknown', idempotencyKey: 'pay-1' },
    tries: 4,
  },
  'an error of the service': {
    steps: [refused('INTERNAL_ERROR')],
    wanted: { kind: 'unknown', requestId: 'req-1' },
    tries: 4,
  },
  'an acceptance nobody knows of': {
    steps: [refused('ACCEPTANCE_UNKNOWN', { payment_id: 'pay-9' })],
    wanted: { kind: 'unknown', paymentId: 'pay-9', requestId: 'req-1' },
    tries: 4,
  },
  'a processor that failed': { steps: [refused('PROCESSOR_FAILURE')], wanted: { kind: 'unknown' }, tries: 4 },
  'a request still in progress': {
    steps: [refused('REQUEST_IN_PROGRESS')],
    wanted: { kind: 'unknown' },
    tries: 4,
  },
  'a cancellation that is not decided': {
    steps: [refused('CANCELLATION_IN_PROGRESS')],
    call: { operation: 'momoCancelPayout', input: { transaction_id: '7' } },
    wanted: { kind: 'unknown' },
    tries: 4,
  },
  'a page of a gateway': { steps: [page(502)], wanted: { kind: 'unknown' }, tries: 4 },
  'a page that says busy': { steps: [page(503)], wanted: { kind: 'unknown' }, tries: 4 },
  'a page that says forbidden': { steps: [page(403)], wanted: { kind: 'unknown' }, tries: 4 },
  'a page that says all is well': { steps: [page(200)], wanted: { kind: 'unknown' }, tries: 4 },
  'the JSON of somebody else': {
    steps: [{ status: 200, body: '{"status":"ok"}' }],
    wanted: { kind: 'unknown' },
    tries: 4,
  },
  'a refusal of somebody else': {
    steps: [{ status: 400, body: '{"code":"BLOCKED","message":"not here"}' }],
    wanted: { kind: 'unknown' },
    tries: 4,
  },
  'half an answer': {
    steps: [{ status: 200, body: '{"success":tr' }],
    wanted: { kind: 'unknown' },
    tries: 4,
  },
  'a list for an answer': { steps: [{ status: 200, body: '[]' }], wanted: { kind: 'unknown' }, tries: 4 },
  'a way to somewhere else': {
    steps: [{ status: 307, body: '', headers: { Location: '/elsewhere' } }],
    wanted: { kind: 'unknown' },
    tries: 4,
  },

  // The outcome stays unknown until the service answers for the key.
  'a lost answer, then a busy service': {
    steps: ['lost', refused('SERVICE_BUSY')],
    wanted: { kind: 'unknown' },
    tries: 4,
  },
  'a lost answer, then too many requests': {
    steps: ['lost', refused('RATE_LIMITED')],
    wanted: { kind: 'unknown' },
    tries: 4,
  },
  'a page of a gateway, then a busy service': {
    steps: [page(504), refused('SERVICE_BUSY')],
    wanted: { kind: 'unknown' },
    tries: 4,
  },
  'a payment nobody knows of, then a busy service': {
    steps: [refused('ACCEPTANCE_UNKNOWN', { payment_id: 'pay-9' }), refused('SERVICE_BUSY')],
    wanted: { kind: 'unknown', paymentId: 'pay-9' },
    tries: 4,
  },
  'a lost answer, then keys that were taken away': {
    steps: ['lost', refused('INVALID_CREDENTIALS')],
    wanted: { kind: 'unknown' },
    tries: 2,
  },
  'a lost answer, then an account that is suspended': {
    steps: ['lost', refused('ACCOUNT_SUSPENDED')],
    wanted: { kind: 'unknown' },
    tries: 2,
  },
  'a lost answer, then a provider that refuses our account': {
    steps: ['lost', refused('PROVIDER_ACCOUNT_REFUSED')],
    wanted: { kind: 'unknown' },
    tries: 2,
  },
  'a lost answer, then a path that is not there': {
    steps: ['lost', refused('NOT_FOUND')],
    wanted: { kind: 'unknown' },
    tries: 2,
  },
  'a lost answer, then a key of another body': {
    steps: ['lost', refused('IDEMPOTENCY_KEY_REUSED')],
    wanted: { kind: 'unknown' },
    tries: 2,
  },
  'a lost answer, then the refusal it was': {
    steps: ['lost', refused('FLOAT_INSUFFICIENT')],
    wanted: { kind: 'refused', code: 'FLOAT_INSUFFICIENT' },
    tries: 2,
  },
  'a lost answer, then the same refusal again': {
    steps: [refused('REQUEST_IN_PROGRESS'), refused('CUSTOMER_BUSY', replayed)],
    wanted: { kind: 'refused', code: 'CUSTOMER_BUSY' },
    tries: 2,
  },
  'a key from before, and a busy service': {
    steps: [refused('SERVICE_BUSY')],
    call: { idempotencyKey: 'pay-1', isRepeat: true },
    wanted: { kind: 'unknown', idempotencyKey: 'pay-1' },
    tries: 4,
  },
  'a key from before, and its answer': {
    steps: [refused('FLOAT_INSUFFICIENT', replayed)],
    call: { idempotencyKey: 'pay-1', isRepeat: true },
    wanted: { kind: 'refused', code: 'FLOAT_INSUFFICIENT' },
    tries: 1,
  },

  // Without a key, a retry would have a double effect.
  'an endpoint, added and not heard of': {
    steps: ['lost'],
    call: adds,
    wanted: { kind: 'unknown', idempotencyKey: null, message: expect.stringContaining('not retried') },
    tries: 1,
  },
  'an endpoint, added or not': {
    steps: [refused('INTERNAL_ERROR')],
    call: adds,
    wanted: { kind: 'unknown' },
    tries: 1,
  },
  'an endpoint, and a busy service': {
    steps: [refused('SERVICE_BUSY'), taken()],
    call: adds,
    wanted: { kind: 'taken' },
    tries: 2,
  },
  'a new secret that did not arrive': {
    steps: [page(502)],
    call: { operation: 'changeWebhookEndpointSecret', input: { endpoint_id: '0199' } },
    wanted: { kind: 'unknown' },
    tries: 1,
  },
  'a status that did not arrive': {
    steps: ['lost', taken()],
    call: reads,
    wanted: { kind: 'taken' },
    tries: 2,
  },
  'a status that anybody may ask for': {
    steps: ['lost', taken()],
    call: { operation: 'transactionStatus', input: { order_tracking_id: '7' } },
    wanted: { kind: 'taken' },
    tries: 2,
  },

  'the feed, page by page': {
    steps: [
      taken({ events: [{ id: 'a' }], next_cursor: 'c1', has_more: true }),
      refused('SERVICE_BUSY'),
      taken({ events: [{ id: 'b' }], next_cursor: 'c2', has_more: false }),
    ],
    call: { operation: 'eventPages', input: { types: 'deposit.*' } },
    wanted: { kind: 'taken', body: { pages: [{ events: [{ id: 'a' }] }, { events: [{ id: 'b' }] }] } },
    tries: 3,
  },

  // The service determines the pause.
  'a pause of a second': {
    steps: [refused('SERVICE_BUSY', { headers: { 'Retry-After': '1' } }), taken()],
    wanted: { kind: 'taken' },
    tries: 2,
  },
  'a pause longer than anybody waits': {
    steps: [refused('RATE_LIMITED', { headers: { 'Retry-After': '900' } })],
    wanted: { kind: 'refused', status: 429, retryAfterS: 900 },
    tries: 1,
  },
  'a pause that is a date': {
    steps: [
      refused('SERVICE_BUSY', { headers: { 'Retry-After': 'Wed, 21 Oct 2026 07:28:00 GMT' } }),
      taken(),
    ],
    wanted: { kind: 'taken' },
    tries: 2,
  },

  // An invalid call is not sent at all.
  'a key with a line break': {
    steps: [taken()],
    call: { idempotencyKey: 'pay\r\nX-API-Key: other' },
    wanted: { kind: 'misuse', message: expect.stringContaining('printable ASCII') },
    tries: 0,
  },
  'an empty key': {
    steps: [taken()],
    call: { idempotencyKey: '' },
    wanted: { kind: 'misuse', message: expect.stringContaining('1 to 255') },
    tries: 0,
  },
  'a path that leads elsewhere': {
    steps: [taken()],
    call: { operation: 'payment', input: { payment_id: '..' } },
    wanted: { kind: 'misuse', message: expect.stringContaining('payment_id') },
    tries: 0,
  },
};
