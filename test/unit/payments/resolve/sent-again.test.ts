import { sentAgain } from '../../../../src/rail-kit/provider-words';

/** The first submission got no answer. What the second one's answer means for both. */
describe('sentAgain', () => {
  const refused = {
    kind: 'refused',
    publicCode: 'PROVIDER_ACCOUNT_REFUSED',
    providerCode: 'OUT_OF_FUNDS',
    text: 'The purse is empty',
  } as const;

  it('an accepted or unknown second submission is the result', () => {
    for (const again of [
      { kind: 'accepted', providerReference: 'R1' },
      { kind: 'queued', providerReference: 'R1' },
      { kind: 'unknown', text: 'timeout' },
    ] as const)
      expect(sentAgain(again, false)).toBe(again);
  });

  it('a rejection of its content counts for the first too, and no other rejection does', () => {
    expect(sentAgain(refused, true)).toBe(refused);
    expect(sentAgain(refused, false)).toEqual({
      kind: 'unknown',
      text: 'an earlier submission got no answer, and this one: OUT_OF_FUNDS The purse is empty',
    });
  });

  it('an unsent second submission is no reason to start again', () => {
    expect(sentAgain({ kind: 'not_sent', text: 'ECONNREFUSED' }, true)).toEqual({
      kind: 'unknown',
      text: 'an earlier submission got no answer, and this one: not sent, ECONNREFUSED',
    });
  });
});
