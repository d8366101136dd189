/**
 * A small shop: it asks a customer's phone for money (M-PESA, STK push). Three rules make it safe:
 * 1. It saves the order, with the key of its attempt, before it calls Malipo.
 * 2. It repeats a request whose answer is unknown, with the same key.
 * 3. Only a verified webhook or a queried status says what became of a payment, and each change counts once.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import * as client from './malipo/index.js';

const { OutcomeUnknownError, RefusedError, WebhookError } = client;
const port = Number(process.env.PORT ?? 8000);
const webhookSecret = setting('MALIPO_WEBHOOK_SECRET');
const malipo = client.createMalipo({
  baseUrl: setting('MALIPO_URL'),
  apiKey: setting('MALIPO_API_KEY'),
  apiSecret: setting('MALIPO_API_SECRET'),
});

/** A missing setting must fail at the start, and not at a customer's payment. @param {string} name */
function setting(name) {
  const value = process.env[name];
  if (value) return value;
  console.error(`${name} is not set. \`source .malipo/env\` sets it, in the folder of \`npm start\`.`);
  return process.exit(1);
}

/**
 * `amount` of an order is its price. An attempt is one request to the customer: `amount` is what was paid, `sequence` belongs
 * to its last change that counted.
 * @typedef {{ id: string, phone: string, amount: number, attempts: Attempt[], message: string, changes: string[] }} Order
 * @typedef {{ key: string, paymentId?: string, sequence?: number, status?: string, amount?: number, mayPayAgain?: boolean }} Attempt
 */

// One file for each order. A real shop has a database, and changes each order in a transaction.
const folder = new URL('orders/', import.meta.url);
mkdirSync(folder, { recursive: true });

/** @param {string | undefined} id @returns {Order | undefined} */
function find(id) {
  const file = new URL(`${id}.json`, folder);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** A rename makes the file appear complete or not at all. @param {Order} order */
function save(order) {
  const unfinished = new URL(`${order.id}.unfinished`, folder);
  writeFileSync(unfinished, JSON.stringify(order, null, 2), { flush: true });
  renameSync(unfinished, new URL(`${order.id}.json`, folder));
}

/**
 * Changes the attempt with this key in the order as it is now: a webhook may have changed it meanwhile.
 * @param {string} key @param {(attempt: Attempt, order: Order) => void} edit
 */
function change(key, edit) {
  const order = find(/^order-(\w+)-\d+$/.exec(key)?.[1]);
  const attempt = order?.attempts.find((one) => one.key === key);
  if (!order || !attempt) return;
  edit(attempt, order);
  save(order);
}

/** Deliver what is `paid`. `to_check` is money that differs from the price, or came twice. @param {Order} order */
function stateOf({ amount, attempts }) {
  const paid = attempts.filter(({ status }) => status === 'Success');
  if (paid.length > 0) return paid.length === 1 && paid[0]?.amount === amount ? 'paid' : 'to_check';
  return attempts.at(-1)?.mayPayAgain ? 'not_paid' : 'waiting';
}

/** Sends an attempt, which is saved. @param {Order} order @param {string} key */
async function ask({ id, phone, amount }, key) {
  const reference = { account_reference: id, order_id: key, transaction_desc: 'Your order' };
  // Another page, or this shop before a crash, may have sent it: so only an answer for the key counts as refused.
  const options = { idempotencyKey: key, isRepeat: true };
  let known;
  let message = '';
  try {
    const { data } = await malipo.stkPush({ phone_number: phone, amount, ...reference }, options);
    known = { paymentId: data.payment_id };
  } catch (error) {
    if (!(error instanceof RefusedError || error instanceof OutcomeUnknownError)) throw error;
    const isRefused = error instanceof RefusedError;
    // If there is a payment, its status decides.
    known = error.paymentId === undefined ? { mayPayAgain: isRefused } : { paymentId: error.paymentId };
    message = isRefused ? error.message : 'We do not know yet. Do not pay again.';
    console.error(error.message);
  }
  change(key, (attempt, now) => {
    // A webhook may come before the answer.
    if (attempt.paymentId !== undefined) return;
    Object.assign(attempt, known);
    now.message = message;
  });
}

/** Repeats a request without an answer, or queries the status: a webhook may be late. @param {Order} order */
async function refresh(order) {
  const attempt = order.attempts.at(-1);
  if (stateOf(order) !== 'waiting' || !attempt) return;
  if (attempt.paymentId === undefined) return ask(order, attempt.key);
  // Without an answer the shop shows what it knows.
  const answer = await malipo.stkPushStatus({ payment_id: attempt.paymentId }).catch(console.error);
  if (answer) record(answer.data);
}

/** @param {Omit<client.StkPushEventWebhook, 'event_type' | 'callback_type' | 'timestamp'>} reported by a webhook or a status */
function record(reported) {
  change(reported.order_id, (attempt, order) => {
    attempt.paymentId ??= reported.payment_id;
    if (attempt.paymentId !== reported.payment_id || !client.isLater(reported, attempt.sequence)) return;
    const { sequence, status, actual_amount, mm_receipt_number: receipt, next_step: next } = reported;
    const mayPayAgain = next?.safe_to_repeat === true || next?.code === 'check_sms_then_pay';
    // Money that was given back leaves nothing.
    const amount = next?.code === 'money_given_back' ? 0 : actual_amount;
    Object.assign(attempt, { sequence, status, amount, mayPayAgain });
    order.message = next?.en ?? '';
    order.changes.push(`${status} KES ${amount} ${receipt}`);
  });
}

/** @param {unknown} text */
const safe = (text) => String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const head = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width">`;

function checkoutPage() {
  const orders = readdirSync(folder).flatMap((name) => find(/^(\w+)\.json$/.exec(name)?.[1]) ?? []);
  // For you, while you build: customers must not see the orders of others.
  const lines = orders.map(
    (order) => `<li><a href="/orders/${order.id}">${order.id}</a> KES ${order.amount} ${stateOf(order)}`,
  );
  return `${head}<h1>Checkout</h1><form method="post" action="/orders">
<p><label>Phone <input name="phone" type="tel" value="254708374149" required></label>
<p><label>Amount in KES <input name="amount" inputmode="numeric" value="1250" required></label>
<p><button>Pay with M-PESA</button></form><h2>Orders</h2><ul>${lines.join('\n')}</ul>`;
}

/** @param {Order} order */
function orderPage(order) {
  const state = stateOf(order);
  const refreshes = state === 'waiting' ? '<meta http-equiv="refresh" content="2">' : '';
  const again = state === 'not_paid' ? '<form method="post"><button>Pay again</button></form>' : '';
  const changes = order.changes.map((line) => `<li>${safe(line)}`).join('\n');
  return `${head}${refreshes}<h1>Order ${order.id}: <b id="state">${state}</b></h1>
<p>KES ${order.amount}. ${safe(order.message)}${again}<ol>${changes}</ol><a href="/">The shop</a>`;
}

/** @typedef {[status: number, text: string]} Answer a page or, for 303, an address */

/** @param {URLSearchParams} form @returns {Promise<Answer>} */
async function checkOut(form) {
  const [phone, amount] = [form.get('phone') ?? '', form.get('amount') ?? ''];
  if (!/^\d{1,6}$/.test(amount)) return [400, 'The amount must be in whole shillings.'];
  const id = randomBytes(6).toString('hex');
  return pay({ id, phone, amount: Number(amount), attempts: [], message: '', changes: [] });
}

/** Saves the order with its next attempt, and then sends it. @param {Order} order @returns {Promise<Answer>} */
async function pay(order) {
  const key = `order-${order.id}-${order.attempts.length + 1}`;
  save({ ...order, attempts: [...order.attempts, { key }] });
  await ask(order, key);
  return [303, `/orders/${order.id}`];
}

/** @param {import('node:http').IncomingMessage} request @param {Buffer} body @returns {Promise<Answer>} */
async function answerTo({ method, url, headers }, body) {
  const route = `${method} ${url}`;
  if (route === 'GET /') return [200, checkoutPage()];
  if (route === 'POST /orders') return checkOut(new URLSearchParams(body.toString()));
  if (route === 'POST /webhooks') {
    // The body as received: the signature covers its bytes.
    const webhook = client.verifyWebhook(body, headers, webhookSecret);
    if (webhook.type === 'STK-Push') record(webhook.body);
    return [204, ''];
  }
  const order = find(/^\/orders\/(\w+)$/.exec(url ?? '')?.[1]);
  if (!order) return [404, 'There is no such page.'];
  // A second click finds the order waiting.
  if (method === 'POST') return stateOf(order) === 'not_paid' ? pay(order) : [303, url ?? ''];
  await refresh(order);
  return [200, orderPage(find(order.id) ?? order)];
}

/** @param {unknown} error @returns {Answer} */
function answerAfter(error) {
  if (error instanceof WebhookError) return [400, error.message];
  console.error(error);
  return [500, 'The shop has a fault, which its terminal shows.'];
}

/** A connection may break in the middle. @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

createServer(async (request, response) => {
  const [status, text] = await bodyOf(request)
    .then((body) => answerTo(request, body))
    .catch(answerAfter);
  if (status === 303) response.writeHead(status, { Location: text }).end();
  else response.writeHead(status, { 'Content-Type': 'text/html' }).end(text);
}).listen(port, '127.0.0.1', () => console.log(`The shop is open: http://127.0.0.1:${port}`));
