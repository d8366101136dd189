import { sentAgain } from '../../../../src/rail-kit/provider-words';

/** The first sending was never answered. What the second one's answer says of both. */
describe('sentAgain', () => {
  const refused = {
    kind: 'refused',
    publicCode: 'PROVIDER_ACCOUNT_REFUSED',
    providerCode: 'OUT_OF_FUNDS',
    text: 'The purse is empty',
  } as const;

  it('that it was taken, or that nobody knows, is so', () => {
    for (const again of [
      { kind: 'accepted', providerReference: 'R1' },
      { kind: 'queued', providerReference: 'R1' },
      { kind: 'unknown', text: 'timeout' },
    ] as const)
      expect(sentAgain(again, false)).toBe(again);
  });

  it('that its words were refused counts for the first, and no other refusal does', () => {
    expect(sentAgain(refused, true)).toBe(refused);
    expect(sentAgain(refused, false)).toEqual({
      kind: 'unknown',
      text: 'sent before without an answer, and again: OUT_OF_FUNDS The purse is empty',
    });
  });

  it('that it was not sent is no reason to begin from the start', () => {
    expect(sentAgain({ kind: 'not_sent', text: 'ECONNREFUSED' }, true)).toEqual({
      kind: 'unknown',
      text: 'sent before without an answer, and again: not sent, ECONNREFUSED',
    });
  });
});
