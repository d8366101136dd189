/** The dashboard of payments and money, for operators. */
import { ours, rate, quantile, shown, share, ofRail, ofCall, ofSource, ofWallet, right } from './asking.mjs';

export const payments = {
  uid: 'malipo-overview',
  title: 'Malipo: payments',
  rows: {
    'Needs an operator': [
      ['Invariant violations', 'none', ['', shown('malipo_verify_violations')], 'stat'],
      ['Cases open', 'none', ['', shown('malipo_cases_open')], 'stat'],
      ['Oldest case', 's', ['', shown('malipo_case_oldest_age_seconds')], 'stat'],
      ['Dead webhooks', 'none', ['', shown('malipo_webhooks_dead')], 'stat'],
      ['Payout pauses', 'none', ['', shown('malipo_payout_pauses')], 'stat'],
      ['Unmatched lines', 'none', ['', shown('malipo_reconciliation_unexplained_lines')], 'stat'],
    ],
    'Requests to create payments': [
      ['Requests', 'reqps', ['{{rail}} {{status}}', rate('malipo_payment_requests_total', 'rail, status')]],
      [
        'Failed, of valid requests',
        'percentunit',
        [
          ofRail,
          share(
            rate('malipo_payment_requests_total', 'rail', 'status=~"5.."'),
            rate('malipo_payment_requests_total', 'rail', right),
          ),
        ],
      ],
      [
        'Duration',
        's',
        ['p50 {{rail}}', quantile(0.5, 'malipo_payment_request_duration_seconds', ['rail'])],
        ['p99 {{rail}}', quantile(0.99, 'malipo_payment_request_duration_seconds', ['rail'])],
      ],
      ['Rejected because of load', 'reqps', ['{{reason}}', rate('malipo_requests_shed_total', 'reason')]],
    ],
    Outcomes: [
      [
        'Final payments',
        'cps',
        [
          '{{rail}} {{state}}',
          rate(
            'malipo_payment_transitions_total',
            'rail, state',
            'state=~"succeeded|failed|cancelled|timed_out"',
          ),
        ],
      ],
      [
        'Succeeded, of final deposits',
        'percentunit',
        [
          ofRail,
          share(
            rate('malipo_payment_transitions_total', 'rail', 'kind="deposit", state="succeeded"'),
            rate(
              'malipo_payment_transitions_total',
              'rail',
              'kind="deposit", state=~"succeeded|failed|cancelled|timed_out"',
            ),
          ),
        ],
      ],
      ['Open', 'none', [ofRail, shown('malipo_payments_open', 'rail')]],
      [
        'Submissions without an answer',
        'cps',
        ['{{rail}} {{kind}}', rate('malipo_payment_transitions_total', 'rail, kind', 'cause="unknown"')],
      ],
      ['Oldest submission in progress', 's', ['', shown('malipo_payment_submission_oldest_age_seconds')]],
      [
        'Succeeded, by cause',
        'cps',
        ['{{cause}}', rate('malipo_payment_transitions_total', 'cause', 'state="succeeded"')],
      ],
      ['Cases', 'none', ['{{reason}}', `${shown('malipo_cases_open_by_reason', 'reason')} > 0`]],
      [
        'Refunded, reversed, returned',
        'cps',
        [
          '{{rail}} {{state}}',
          rate('malipo_payment_transitions_total', 'rail, state', 'state=~"refunded|reversed|returned"'),
        ],
      ],
    ],
    'Provider notifications': [
      [
        'On time, of final payments',
        'percentunit',
        [
          ofSource,
          share(
            `max by (rail, kind) (rate(${ours('malipo_provider_notifications_on_time_total')}[30m]))`,
            `max by (rail, kind) (rate(${ours('malipo_provider_notifications_expected_total')}[30m]))`,
          ),
        ],
      ],
      [
        'Delay',
        's',
        [
          'p{{quantile}} {{rail}} {{kind}}',
          shown('malipo_provider_notification_lag_seconds', 'rail, kind, quantile'),
        ],
      ],
      ['Stopped', 'bool', [ofSource, shown('malipo_provider_notifications_stopped', 'rail, kind')]],
      ['Rejected', 'cps', [ofRail, rate('malipo_provider_notifications_rejected_total', 'rail')]],
    ],
    Providers: [
      ['Calls', 'reqps', ['{{rail}} {{answer}}', rate('malipo_provider_calls_total', 'rail, answer')]],
      [
        'Duration, p99',
        's',
        [ofCall, quantile(0.99, 'malipo_provider_call_duration_seconds', ['rail', 'call'])],
      ],
      [
        'Clock difference',
        's',
        [ofRail, `quantile by (rail) (0.5, ${ours('malipo_provider_clock_offset_seconds')})`],
      ],
      ['Accounts paused', 'bool', ['{{account}}', shown('malipo_provider_account_paused', 'account')]],
    ],
    'Webhooks to merchants': [
      ['Attempts', 'cps', ['{{result}}', rate('malipo_webhook_deliveries_total', 'result')]],
      ['Not delivered yet', 'none', ['', shown('malipo_webhooks_pending')]],
      ['Most overdue', 's', ['', shown('malipo_webhook_overdue_seconds')]],
    ],
    'Floats and books': [
      [
        'Balance at providers (minor units)',
        'none',
        [ofWallet, shown('malipo_float_balance_minor_units', 'provider, country, currency')],
      ],
      [
        'Time left at the rate of the last day',
        's',
        [
          '{{provider}} {{currency}}',
          `min by (provider, currency) (${ours('malipo_float_time_left_seconds')})`,
        ],
      ],
      [
        'Difference from our books (minor units)',
        'none',
        [ofWallet, shown('malipo_float_difference_minor_units', 'provider, country, currency')],
      ],
      [
        "Merchants' floats with less than 3 days left",
        's',
        [
          '{{merchant_id}} {{rail}} {{currency}}',
          `min by (merchant_id, rail, currency) (${ours('malipo_merchant_float_time_left_seconds')})`,
        ],
      ],
      [
        'Since the books were verified',
        's',
        ['', `time() - ${shown('malipo_verify_timestamp_seconds')}`],
        'stat',
      ],
      [
        'Since statements were fetched',
        's',
        [ofRail, `time() - ${shown('malipo_statement_fetched_timestamp_seconds', 'rail')}`],
        'stat',
      ],
    ],
  },
};
