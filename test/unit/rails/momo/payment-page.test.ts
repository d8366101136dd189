/** The message and the next step of a deposit while its network's payment page is not known yet. */
import { acceptedBody, statusBody } from '../../../../src/rails/momo/responses';
import { rowOfPayment } from '../../../support/payment-row';

const now = new Date();
const deposit = (details: Record<string, string>) =>
  rowOfPayment({
    rail: 'momo',
    provider: 'WAVE_SEN',
    currency: 'XOF',
    details,
    next_check_at: now,
  });
const onPage = { successful_url: 'https://shop.example/thanks', failed_url: 'https://shop.example/no' };
const url = 'https://pay.example/1';

it.each([
  ['without its page, waits for it', onPage, /page is not ready.*query the status/, 'wait', undefined],
  ['with its page, goes there', { ...onPage, redirect_url: url }, /to redirect_url/, 'open_page', url],
  ['of another network gets a prompt', {}, /gets a payment prompt/, 'enter_pin', undefined],
])('a deposit %s', (_what, details, message, code, redirectUrl) => {
  const payment = deposit(details);
  expect(acceptedBody(payment).message).toMatch(message);
  expect(statusBody(payment).next_step.code).toBe(code);
  expect([acceptedBody(payment).redirect_url, statusBody(payment).redirect_url]).toEqual([
    redirectUrl,
    redirectUrl,
  ]);
});
