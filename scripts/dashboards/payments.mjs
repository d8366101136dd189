/** Whether money moves as it should: for whoever operates the product. */
import { rate, quantile, shown, share, ofRail, ofCall, ofSource, ofWallet, right } from './asking.mjs';

export const payments = {
  uid: 'malipo-overview',
  title: 'Malipo: payments',
  rows: {
    'Needs somebody': [
      ['Promises broken', 'none', ['', shown('promises_broken')], 'stat'],
      ['Cases open', 'none', ['', shown('cases_open')], 'stat'],
      ['Oldest case', 's', ['', shown('cases_oldest_age_seconds')], 'stat'],
      ['Webhooks given up', 'none', ['', shown('webhooks_dead')], 'stat'],
      ['Stops of payouts', 'none', ['', shown('payout_stops')], 'stat'],
      ['Lines unexplained', 'none', ['', shown('reconciliation_unexplained_lines')], 'stat'],
    ],
    Acceptance: [
      [
        'Calls that start something',
        'reqps',
        ['{{rail}} {{status}}', rate('acceptances_total', 'rail, status')],
      ],
      [
        'Of those that were right, not served',
        'percentunit',
        [
          ofRail,
          share(
            rate('acceptances_total', 'rail', '{status=~"5.."}'),
            rate('acceptances_total', 'rail', right),
          ),
        ],
      ],
      [
        'How long they take',
        's',
        ['p50 {{rail}}', quantile(0.5, 'acceptance_duration_seconds', ['rail'])],
        ['p99 {{rail}}', quantile(0.99, 'acceptance_duration_seconds', ['rail'])],
      ],
      ['Turned away', 'reqps', ['{{reason}}', rate('shed_total', 'reason')]],
    ],
    Outcomes: [
      [
        'Payments that ended',
        'cps',
        [
          '{{rail}} {{state}}',
          rate(
            'payments_transitions_total',
            'rail, state',
            '{state=~"succeeded|failed|cancelled|timed_out"}',
          ),
        ],
      ],
      [
        'Succeeded, of deposits that ended',
        'percentunit',
        [
          ofRail,
          share(
            rate('payments_transitions_total', 'rail', '{kind="deposit", state="succeeded"}'),
            rate(
              'payments_transitions_total',
              'rail',
              '{kind="deposit", state=~"succeeded|failed|cancelled|timed_out"}',
            ),
          ),
        ],
      ],
      ['Open', 'none', [ofRail, shown('payments_open', 'rail')]],
      [
        'Instructions without an answer',
        'cps',
        ['{{rail}} {{kind}}', rate('payments_transitions_total', 'rail, kind', '{cause="unknown"}')],
      ],
      ['Oldest instruction under way', 's', ['', shown('payments_initiating_oldest_seconds')]],
      [
        'What ended payments',
        'cps',
        ['{{cause}}', rate('payments_transitions_total', 'cause', '{state="succeeded"}')],
      ],
      ['Cases', 'none', ['{{reason}}', `${shown('cases_open_by_reason', 'reason')} > 0`]],
      [
        'Refunded, reversed, returned',
        'cps',
        [
          '{{rail}} {{state}}',
          rate('payments_transitions_total', 'rail, state', '{state=~"refunded|reversed|returned"}'),
        ],
      ],
    ],
    Callbacks: [
      [
        'Of payments that ended, told of in time',
        'percentunit',
        [
          ofSource,
          share(
            shown('rate(provider_callbacks_come_total[30m])', 'rail, kind'),
            shown('rate(provider_callbacks_expected_total[30m])', 'rail, kind'),
          ),
        ],
      ],
      [
        'How late they come',
        's',
        ['p{{quantile}} {{rail}} {{kind}}', shown('provider_callback_lag_seconds', 'rail, kind, quantile')],
      ],
      ['Stopped', 'bool', [ofSource, shown('provider_callbacks_stopped', 'rail, kind')]],
      ['Refused', 'cps', [ofRail, rate('notifications_refused_total', 'rail')]],
    ],
    Providers: [
      ['Calls', 'reqps', ['{{rail}} {{answer}}', rate('provider_calls_total', 'rail, answer')]],
      [
        'How long they take, p99',
        's',
        [ofCall, quantile(0.99, 'provider_call_duration_seconds', ['rail', 'call'])],
      ],
      ['Clocks ahead of ours', 's', [ofRail, 'quantile by (rail) (0.5, provider_clock_ahead_seconds)']],
      ['Accounts stopped', 'bool', ['{{account}}', shown('accounts_stopped', 'account')]],
    ],
    'Webhooks to merchants': [
      ['Tries', 'cps', ['{{result}}', rate('webhooks_deliveries_total', 'result')]],
      ['Not delivered yet', 'none', ['', shown('webhooks_pending')]],
      ['Due, and not sent', 's', ['', shown('webhooks_overdue_seconds')]],
    ],
    'Floats and books': [
      [
        'What providers hold (minor units)',
        'none',
        [ofWallet, shown('float_balance', 'provider, country, currency')],
      ],
      [
        'Lasts for (days)',
        'none',
        ['{{provider}} {{currency}}', 'min by (provider, currency) (float_days_left)'],
      ],
      [
        'Differs from our books (minor units)',
        'none',
        [ofWallet, shown('float_difference', 'provider, country, currency')],
      ],
      [
        "Merchants' floats that are short (days)",
        'none',
        [
          '{{merchant_id}} {{rail}} {{currency}}',
          'min by (merchant_id, rail, currency) (merchant_float_days_left)',
        ],
      ],
      ['Books verified ago', 's', ['', `time() - ${shown('verified_timestamp_seconds')}`], 'stat'],
      [
        'Statements fetched ago',
        's',
        [ofRail, `time() - ${shown('statement_fetched_timestamp_seconds', 'rail')}`],
        'stat',
      ],
    ],
  },
};
