import fc from 'fast-check';
import { csvField } from '../../../src/domain/csv-field';

describe('a field of a CSV', () => {
  it.each([
    ['=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
    ['+254708374149', "'+254708374149"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', `"'\tx"`],
    ['＝1', "'＝1"],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\r\nb', '"a\r\nb"'],
    ["T;=1+cmd|'/c calc'!A1", `"T;'=1+cmd|'/c calc'!A1"`],
    ['T;"=1', `"T;'""=1"`],
    ['T; =1', `"T;' =1"`],
    [' =1', "' =1"],
    ['a|@SUM(A1)', `"a|'@SUM(A1)"`],
    ['a\t+1', `"a\t'+1"`],
    ['a,-1+1', `"a,'-1+1"`],
    ['a\n=1', `"a\n'=1"`],
    ['a;＝1', `"a;'＝1"`],
    ['a;b', '"a;b"'],
    ['50% - off', '50% - off'],
    ['INV-1', 'INV-1'],
    ['', ''],
  ])('writes %j as %j', (text, written) => {
    expect(csvField(text)).toBe(written);
  });

  it('never becomes a formula, whatever separator the reader uses', () => {
    const signs = fc.constantFrom(...'=+-@＝＋－＠;|,\t\r\n "\'a1'.split(''));
    const cell = fc.array(fc.oneof(signs, fc.string({ maxLength: 3 })), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (cells) => {
        const line = cells.map((parts) => csvField(parts.join(''))).join(',');
        // The simplest reader: it splits at each separator, even inside quotation marks.
        for (const separator of [',', ';', '|', '\t', '\n', '\r'])
          for (const read of line.split(separator)) expect(read).not.toMatch(/^["\s]*[=+\-@＝＋－＠]/u);
      }),
      { numRuns: 1_000 },
    );
  });
});
