import fc from 'fast-check';
import { formatAmount } from '../../../src/domain/money';
import { readStatementAmount } from '../../../src/reconciliation/reading/amounts';
import { dateReader } from '../../../src/reconciliation/reading/dates';

describe('an amount of a statement', () => {
  it.each([
    ['1200', 120_000n],
    ['1200.5', 120_050n],
    ['1,200.00', 120_000n],
    ['1 200.00', 120_000n],
    ['12,345,678.90', 1_234_567_890n],
    ['KES 1,200.00', 120_000n],
    ['Ksh. 1,200.00', 120_000n],
    ['KSh1,200', 120_000n],
    ['1,200.00 KES', 120_000n],
    ['-1,200.00', -120_000n],
    ['KES -1,200.00', -120_000n],
    ['-KES 1,200.00', -120_000n],
    ['\u22121200', -120_000n],
    ['(1,200.00)', -120_000n],
    ['(KES 1,200.00)', -120_000n],
    ['+5', 500n],
    ['0', 0n],
  ])('%j is read', (text, minor) => {
    expect(readStatementAmount(text, 'KES', 1)).toBe(minor);
  });

  it.each([
    '',
    '-',
    '1,20',
    '1,2000.00',
    '1.200,00',
    '1200,00',
    '1e3',
    '0x10',
    '1.255',
    '1.250',
    '1.250000',
    '20.000',
    '1 25',
    'KES .50',
    'USD 5',
    '(-5)',
    '--5',
    '5-',
    '.5',
    'NaN',
    '000.00',
    '0,100',
    '000.00',
    '0,100',
  ])('%j is rejected', (text) => {
    expect(() => readStatementAmount(text, 'KES', 9)).toThrow('line 9: ');
  });

  it('keeps its value with any grouping of digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), (minor) => {
        const text = formatAmount(minor, 'KES');
        const [whole = '', decimals = ''] = text.replace('-', '').split('.');
        const groups = whole.length <= 3 ? whole : Number(whole).toLocaleString('en-US');
        const sign = text.startsWith('-') ? '-' : '';
        expect(readStatementAmount(text, 'KES', 1)).toBe(minor);
        expect(readStatementAmount(`${sign}${groups}.${decimals}`, 'KES', 1)).toBe(minor);
      }),
    );
  });

  it('rejects a long invalid text quickly', () => {
    const started = performance.now();
    expect(() => readStatementAmount('1,'.repeat(50_000), 'KES', 1)).toThrow();
    expect(() => readStatementAmount(`${' '.repeat(100_000)}x`, 'KES', 1)).toThrow();
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('a date of a statement', () => {
  const read = (text: string) => dateReader([{ n: 1, text }], 'Africa/Nairobi')(text, 1).toISOString();

  it.each([
    ['2026-11-21 10:05:06', '2026-11-21T07:05:06.000Z'],
    ['2026-11-21T10:05:06Z', '2026-11-21T10:05:06.000Z'],
    ['2026-11-21T10:05:06.123456+02:00', '2026-11-21T08:05:06.000Z'],
    ['2026/11/21', '2026-11-20T21:00:00.000Z'],
    ['21-11-2026 10:05', '2026-11-21T07:05:00.000Z'],
    ['21.11.2026, 10:05', '2026-11-21T07:05:00.000Z'],
    ['11/21/2026 12:05 AM', '2026-11-20T21:05:00.000Z'],
    ['11/21/2026 12:05:01 p.m.', '2026-11-21T09:05:01.000Z'],
    ['05/05/2026 01:05', '2026-05-04T22:05:00.000Z'],
    ['3 Nov 2026 10:05', '2026-11-03T07:05:00.000Z'],
    ['03-November-2026', '2026-11-02T21:00:00.000Z'],
  ])('%s is read', (text, iso) => {
    expect(read(text)).toBe(iso);
  });

  it.each([
    '',
    'soon',
    '2026-02-30',
    '2026-11-21 25:00',
    '21/11/2026 13:05 PM',
    '3 Foo 2026',
    '1/2/3',
    '2026-11-21T',
  ])('%j is rejected', (text) => {
    expect(() => read(text)).toThrow('line 1: ');
  });
});
