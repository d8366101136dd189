/** The meaning of the provider's answers, line by line. */
import {
  resultOf,
  readInvoice,
  strangenessOf,
  type Invoice,
} from '../../../../src/rails/xb/providers/intasend/invoice';
import { intasendProvider, readSubmission } from '../../../../src/rails/xb/providers/intasend';
import { readXbSettings, type IntasendSettings } from '../../../../src/rails/xb/settings';
import { nextStep, xbState } from '../../../../src/rails/xb/status';
import type { InboxRow } from '../../../../src/store/tables';
import { rowOfPayment } from '../../../support/payment-row';
import { ownTokens } from '../../../support/own-tokens';
import { silentLog } from '../../../support/silent-log';

function settingsOf(env: NodeJS.ProcessEnv): IntasendSettings {
  return readXbSettings(env).intasend as IntasendSettings;
}
const reported = (changes: Record<string, unknown> = {}): Invoice =>
  readInvoice({
    invoice_id: 'QX7PL2K',
    state: 'COMPLETE',
    charges: '600.00',
    net_amount: '19400.00',
    currency: 'UGX',
    value: '20000.00',
    api_ref: 'xb-1',
    mpesa_reference: 'UG26010500123',
    failed_reason: null,
    failed_code: null,
    ...changes,
  }) as Invoice;
const meant = (changes: Record<string, unknown>) => {
  const providerResult = resultOf(reported(changes), []);
  return providerResult.kind === 'failed' ? providerResult.details?.failure : providerResult.kind;
};

describe('a state', () => {
  it.each([
    ['PENDING', 'open', undefined],
    ['PROCESSING', 'open', 'processing'],
    ['RETRY', 'open', 'processing'],
    ['PARTIAL', 'open', 'processing'],
    ['processing', 'open', 'processing'],
    ['COMPLETE', 'succeeded', undefined],
    ['COMPLETED', 'succeeded', undefined],
    ['CANCELED', 'cancelled', undefined],
    ['CANCELLED', 'cancelled', undefined],
    ['FAILED', 'failed', undefined],
    ['REFUNDED', 'unknown', undefined],
    ['toString', 'unknown', undefined],
  ])('%s is %s', (state, kind, as) => {
    const providerResult = resultOf(reported({ state }), []);
    expect([providerResult.kind, 'as' in providerResult ? providerResult.as : undefined]).toEqual([kind, as]);
  });

  it.each([
    [{ failed_code: '1032' }, 'cancelled'],
    [{ failed_code: 1032 }, 'cancelled'],
    [{ failed_reason: 'Request cancelled by user' }, 'cancelled'],
    [{ failed_reason: 'Request Canceled' }, 'cancelled'],
    [{ failed_code: '11032' }, 'FAILED'],
    [{ failed_reason: 'account validation failed' }, 'FAILED_VALIDATE'],
    [{ failed_reason: 'Invalid phone number' }, 'FAILED_VALIDATE'],
    [{ failed_reason: 'The number is not registered' }, 'FAILED_VALIDATE'],
    [{ failed_reason: 'Unregistered subscriber' }, 'FAILED_VALIDATE'],
    [{ failed_code: '1', failed_reason: 'insufficient balance' }, 'FAILED'],
    [{ failed_code: '1037', failed_reason: 'timeout' }, 'TIMED_OUT'],
    [{ failed_code: '2001', failed_reason: 'The initiator information is invalid.' }, 'FAILED'],
    [{}, 'FAILED'],
  ])('FAILED with %j is %s', (why, meaning) => {
    expect(meant({ state: 'FAILED', ...why })).toBe(meaning);
  });

  it.each(['timeout', 'Request timed out, no response from user', 'No response from user.'])(
    'FAILED because of %j has our own code: the customer may have paid',
    (failed_reason) => {
      expect(resultOf(reported({ state: 'FAILED', failed_reason }), [])).toMatchObject({ code: 'TIMED_OUT' });
      const coded = reported({ state: 'FAILED', failed_reason, failed_code: '1037' });
      expect(resultOf(coded, [])).toMatchObject({ code: '1037' });
    },
  );

  it.each(['', '408', '1037', 'E77'])('a timeout with the code %j is never safe to repeat', (failed_code) => {
    const result = resultOf(
      reported({ state: 'FAILED', failed_reason: 'Request timed out', failed_code }),
      [],
    );
    const payment = rowOfPayment({
      rail: 'xb',
      state: 'failed',
      is_final: 1,
      result_code: 'code' in result ? result.code : '',
      details: ('details' in result && result.details) || {},
    });
    expect([xbState(payment), nextStep(payment).next_step]).toEqual([
      'FAILED',
      expect.objectContaining({ safe_to_repeat: false }),
    ]);
  });

  it("has the meaning in the operator's own table first", () => {
    const env = {
      XB_BASE_URL: 'https://xb.example',
      XB_SECRET_KEY: 's',
      XB_PUBLISHABLE_KEY: 'p',
      XB_CHALLENGE: 'c'.repeat(16),
      XB_FAILURES: 'FAILED=cancelled by the network;CANCELLED=^17$|rejected;FAILED_VALIDATE=barred',
    };
    const failures = settingsOf(env).failures;
    const kindOf = (changes: Record<string, unknown>) =>
      resultOf(reported({ state: 'FAILED', ...changes }), failures);
    expect(kindOf({ failed_reason: 'Cancelled by the network' })).toMatchObject({
      details: { failure: 'FAILED' },
    });
    expect(kindOf({ failed_code: '17' })).toMatchObject({ kind: 'cancelled', code: '17' });
    expect(kindOf({ failed_reason: 'SIM barred' })).toMatchObject({
      details: { failure: 'FAILED_VALIDATE' },
    });
    expect(kindOf({ failed_reason: 'cancelled by user' })).toMatchObject({ kind: 'cancelled' });
  });
});

describe('a success', () => {
  it.each([
    ['20000.00', 20_000n],
    ['20000', 20_000n],
    [20_000, 20_000n],
  ])('with the value %j has that amount', (value, amountMinor) => {
    expect(resultOf(reported({ value }), [])).toMatchObject({
      kind: 'succeeded',
      amountMinor,
      currency: 'UGX',
    });
  });

  it('has the receipt, the charges and the rest, in decimals', () => {
    expect(resultOf(reported({ charges: 600, net_amount: 19_400.5 }), [])).toMatchObject({
      receipt: 'UG26010500123',
      providerReference: 'QX7PL2K',
      details: { charges: '600.00', net_amount: '19400.50' },
    });
  });

  it.each([undefined, null, '', 'twenty', '-20000', '20000.50', '2e4', '20,000', {}])(
    'with the value %j does not count: the requested amount is not booked in its place',
    (value) => {
      expect(resultOf(reported({ value }), []).kind).toBe('unknown');
    },
  );

  it.each([undefined, '', 'XYZ'])('in the currency %j does not count', (currency) => {
    expect(resultOf(reported({ currency }), []).kind).toBe('unknown');
  });
});

describe('an invoice', () => {
  it.each([
    [{ invoice_id: 'QX7PL2K' }],
    [{ id: 'QX7PL2K' }],
    [{ id: 'QX7PL2K', invoice_id: '' }],
    [{ id: 'another name', invoice_id: 'QX7PL2K' }],
  ])('has %j as its id', (names) => {
    expect(readInvoice({ state: 'PENDING', ...names })?.invoiceId).toBe('QX7PL2K');
  });
});

describe('is not read from another object', () => {
  it.each([undefined, null, 'paid', 7, [], {}, { state: 'COMPLETE' }, { invoice_id: 'A', state: {} }])(
    '%j',
    (value) => {
      expect(readInvoice(value)).toBeUndefined();
    },
  );
});

describe('a warning for operators', () => {
  it.each([
    ['a state we have never seen', { state: 'SETTLED' }, 'no usable result'],
    ['a part that was paid', { state: 'PARTIAL' }, 'a part'],
    ['a success without a value', { value: '' }, 'no usable result'],
    ['a failure that no rule has', { state: 'FAILED', failed_code: '777' }, 'no rule'],
  ])('%s', (_what, changes, text) => {
    expect(strangenessOf(reported(changes), [])).toContain(text);
  });

  it.each([
    [{}],
    [{ state: 'PROCESSING' }],
    [{ state: 'CANCELLED' }],
    [{ state: 'FAILED', failed_code: '1032' }],
    [{ state: 'FAILED', failed_code: '1', failed_reason: 'insufficient balance' }],
    [{ state: 'FAILED', failed_reason: 'timeout' }],
  ])('is missing for %j', (changes) => {
    expect(strangenessOf(reported(changes), [])).toBeUndefined();
  });
});

describe('a notification with unknown content', () => {
  it('is named in the log and not quoted, because anyone who knows the challenge can write it', () => {
    const warned: unknown[] = [];
    const env = {
      XB_BASE_URL: 'http://127.0.0.1:1',
      XB_SECRET_KEY: 'secret',
      XB_PUBLISHABLE_KEY: 'publishable',
      XB_CHALLENGE: 'a-challenge-of-thirty-two-characters',
    };
    const provider = intasendProvider(settingsOf(env), {
      environment: 'sandbox',
      publicUrl: 'http://127.0.0.1:1',
      timezone: 'Africa/Nairobi',
      timeScale: 1,
      env,
      log: { ...silentLog, warn: (...line) => warned.push(line) },
      tokens: ownTokens(),
      observe: () => {},
    });
    const body = JSON.stringify({ invoice_id: 'QX7PL2K', state: 'CANARY', api_ref: 'xb-1' });
    expect(provider.readNotification({ body, inbox_id: '7', follow_at: null } as InboxRow)).toMatchObject({
      kind: 'unknown',
    });
    expect(warned).toEqual([[expect.stringContaining('no usable result'), { inbox_id: '7' }]]);
    expect(JSON.stringify(warned)).not.toContain('CANARY');
  });
});

describe('an answer to a submission that is no answer of the provider', () => {
  it.each([
    [408, { detail: 'timeout' }],
    [403, undefined],
    [404, undefined],
    [502, { detail: 'bad gateway' }],
  ])('%d with the body %j may mean that the prompt was sent', (status, json) => {
    const answer = { kind: 'answered', status, json, text: '<html>' } as const;
    expect(readSubmission(answer).kind).toBe('unknown');
  });

  it.each([
    [400, { detail: 'no' }],
    [401, undefined],
    [403, { detail: 'no' }],
  ])('%d with the body %j is a rejection', (status, json) => {
    expect(readSubmission({ kind: 'answered', status, json, text: '' }).kind).toBe('refused');
  });
});
