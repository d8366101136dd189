/**
 * Modules that are mutated together, and the tests that must notice. Groups with one name are reported together: a
 * mutation loads all test files listed beside its module.
 */
export interface Group {
  name: string;
  /** The modules, from the root of the repository. */
  modules: string[];
  /** Test files that run their subject in the same process: a module in another process is not mutated. */
  tests: string[];
}

const resolving = (...names: string[]) => names.map((name) => `src/payments/resolve/${name}.ts`);
const ledger = (...names: string[]) => names.map((name) => `src/ledger/${name}.ts`);

/** Tests of whole decisions. The properties of all decisions are left out, because they are slow. */
const decision = [
  'test/unit/payments/resolve/decide{,-*}.test.ts',
  ...['reported-failures', 'reported-successes', 'returned', 'warnings'].map(
    (name) => `test/unit/payments/resolve/${name}.test.ts`,
  ),
];

export const groups: readonly Group[] = [
  {
    name: 'money',
    modules: ['src/domain/money.ts', 'src/fx/convert.ts', 'src/fx/decimal.ts', 'src/fees/schedules.ts'],
    tests: [
      'test/unit/domain/money.test.ts',
      'test/unit/fx/convert.test.ts',
      'test/unit/fees/fee-of.test.ts',
    ],
  },
  {
    name: 'amounts',
    modules: ['src/rail-kit/fields.ts'],
    tests: ['amounts', 'fields', 'field-words'].map((name) => `test/unit/rail-kit/${name}.test.ts`),
  },
  {
    name: 'states',
    modules: ['src/domain/payment.ts'],
    tests: ['test/unit/domain/payment.test.ts'],
  },
  {
    name: 'decide',
    modules: [...resolving('decide'), 'src/rail-kit/provider-words.ts'],
    tests: [...decision, 'test/unit/payments/resolve/sent-again.test.ts'],
  },
  {
    name: 'events',
    modules: [...resolving('after-settlement', 'unverified-events'), 'src/rail-kit/provider-events.ts'],
    tests: decision,
  },
  {
    name: 'warnings',
    modules: ['src/payments/transition/warning-details.ts'],
    tests: ['warnings', 'warning-details', 'decide-changes'].map(
      (name) => `test/unit/payments/resolve/${name}.test.ts`,
    ),
  },
  {
    name: 'signatures',
    modules: ['src/webhooks/post.ts'],
    tests: ['test/unit/webhooks/signature.test.ts'],
  },
  {
    name: 'signatures',
    modules: ['src/rails/momo/providers/pawapay/signature.ts'],
    tests: ['test/unit/rails/momo/request-key.test.ts', 'test/unit/rails/momo/signature-faults.test.ts'],
  },
  {
    name: 'signatures',
    modules: ['src/rails/xb/providers/intasend/authenticity.ts'],
    tests: ['test/unit/rails/xb/authenticity.test.ts'],
  },
  {
    name: 'signed-events',
    modules: ['src/rails/walletpay/providers/paypal/webhook-signature.ts'],
    tests: ['event-headers', 'webhook-signature'].map(
      (name) => `test/unit/rails/walletpay/paypal-${name}.test.ts`,
    ),
  },
  {
    name: 'allow-list',
    modules: ['src/domain/ip-address.ts', 'src/merchants/ip-allow-list.ts'],
    tests: ['test/unit/domain/ip-address.test.ts', 'test/unit/merchants/ip-allow-list.test.ts'],
  },
  {
    name: 'allow-list',
    modules: ['src/merchants/allowed-url.ts'],
    tests: ['test/unit/merchants/allowed-url.test.ts'],
  },
  {
    name: 'authentication',
    modules: ['src/merchants/authenticate.ts'],
    tests: [
      'test/integration/merchants/authenticate.test.ts',
      ...['credentials', 'guarded-authentication'].map((name) => `test/unit/merchants/${name}.test.ts`),
    ],
  },
  ...['api-keys', 'secrets'].map((name) => ({
    name: 'authentication',
    modules: [`src/merchants/${name}.ts`],
    tests: [`test/unit/merchants/${name}.test.ts`],
  })),
  {
    name: 'idempotency',
    modules: ['src/api/idempotency.ts'],
    tests: ['claims', 'idempotency'].map((name) => `test/unit/api/${name}.test.ts`),
  },
  {
    name: 'idempotency',
    modules: ['src/payments/create/idempotency-claims.ts'],
    tests: ['test/integration/payments/create/idempotency.test.ts'],
  },
  {
    name: 'idempotency',
    modules: ['src/payments/create/order-once.ts'],
    tests: ['test/integration/payments/create/order-once.test.ts'],
  },
  {
    name: 'ledger',
    modules: ledger('accounts', 'balances'),
    tests: ['test/integration/ledger/accounts.test.ts'],
  },
  ...['conversions', 'holds'].map((name) => ({
    name: 'ledger',
    modules: ledger(name),
    tests: [`test/integration/ledger/${name}.test.ts`],
  })),
  {
    name: 'ledger',
    modules: ledger('post-entry'),
    tests: ['post-entry', 'debts'].map((name) => `test/integration/ledger/${name}.test.ts`),
  },
  {
    name: 'seals',
    modules: ledger('utc-days'),
    tests: ['test/unit/ledger/utc-days.test.ts'],
  },
  {
    name: 'seals',
    modules: ledger('chain', 'check-chain', 'day-cut', 'day-digests'),
    tests: ['chain', 'chain-bounds'].map((name) => `test/integration/ledger/${name}.test.ts`),
  },
];
