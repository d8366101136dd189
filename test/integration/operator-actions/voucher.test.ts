import { writeBooks, type Books } from '../../support/verify/books';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let books: Books;
beforeAll(async () => {
  cli = await createTestCli();
  books = await writeBooks(cli.db);
});
afterAll(() => cli.drop());

describe('malipo voucher list', () => {
  it('shows the worth and expiry of each voucher, and neither the code nor the recipient', async () => {
    const { json, out } = await cli.run('voucher', 'list', '--json');
    expect(json).toEqual({
      vouchers: [
        expect.objectContaining({
          voucher_id: books.voucher,
          workflow_id: `voucher/${books.voucher}`,
          state: 'active',
          amount: '10.00',
          currency: 'KES',
          code_last4: expect.stringMatching(/^[0-9A-Z]{4}$/),
        }),
      ],
    });
    expect(out).not.toContain('ana@example.org');
    expect((await cli.run('voucher', 'list')).out).toContain('10.00 KES');
  });

  it.each([
    [['--state', 'redeemed']],
    [['--merchant', '00000000-0000-7000-8000-000000000000']],
    [['--merchant', 'ä']],
  ])('finds none with %j', async (filter) => {
    expect((await cli.run('voucher', 'list', ...filter)).out).toBe('No voucher matches.\n');
  });
});
