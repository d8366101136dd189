/** The dashboard of the processes and their database. */
import { ours, rate, rateOf, quantile, quantileOf, shown, ofInstance } from './asking.mjs';

const ofPortal = (metric) => ours(metric, '', 'malipo-portal');

export const processes = {
  uid: 'malipo-processes',
  title: 'Malipo: processes and the database',
  rows: {
    Processes: [
      ['Scraped', 'bool', ['{{job}} {{instance}}', `max by (job, instance) (${ours('up')})`]],
      ['Ready', 'bool', ['{{instance}} {{check}}', `min by (instance, check) (${ours('malipo_ready')})`]],
      ['CPU (cores)', 'none', [ofInstance, rate('process_cpu_seconds_total', 'instance')]],
      ['Memory', 'bytes', [ofInstance, `sum by (instance) (${ours('process_resident_memory_bytes')})`]],
      [
        'Event loop delay, p99',
        's',
        [ofInstance, `max by (instance) (${ours('nodejs_eventloop_lag_p99_seconds')})`],
      ],
      [
        'Time since start',
        's',
        [ofInstance, `time() - max by (instance) (${ours('process_start_time_seconds')})`],
      ],
    ],
    Requests: [
      ['By route', 'reqps', ['{{route}}', rate('malipo_http_requests_total', 'route')]],
      ['By status', 'reqps', ['{{status}}', rate('malipo_http_requests_total', 'status')]],
      [
        'Duration, p99',
        's',
        ['{{route}}', quantile(0.99, 'malipo_http_request_duration_seconds', ['route'])],
      ],
    ],
    Portal: [
      ['Pages by status', 'reqps', ['{{status}}', rateOf(ofPortal('malipo_http_requests_total'), 'status')]],
      [
        'Duration of pages, p99',
        's',
        ['{{route}}', quantileOf(0.99, ofPortal('malipo_http_request_duration_seconds_bucket'), ['route'])],
      ],
    ],
    Database: [
      [
        'Connections in use',
        'none',
        [
          '{{instance}} {{pool}}',
          `sum by (instance, pool) (${ours('malipo_database_pool_connections', 'state="used"')})`,
        ],
      ],
      [
        'Callers waiting for a connection',
        'none',
        ['{{instance}} {{pool}}', `sum by (instance, pool) (${ours('malipo_database_pool_waiting')})`],
      ],
      [
        'Callers that got no connection',
        'cps',
        ['{{instance}} {{pool}}', rate('malipo_database_pool_timeouts_total', 'instance, pool')],
      ],
      [
        'Since the metrics were read',
        's',
        [
          ofInstance,
          `time() - max by (instance) (${ours('malipo_database_metrics_read_timestamp_seconds')})`,
        ],
      ],
      [
        'Clock difference',
        's',
        [ofInstance, `max by (instance) (${ours('malipo_database_clock_offset_seconds')})`],
      ],
      [
        'Time until certificates expire',
        's',
        [
          '{{certificate}}',
          `min by (certificate) (${ours('malipo_certificate_expiry_timestamp_seconds')}) - time()`,
        ],
      ],
      ['Replica lag', 's', ['{{replica}}', shown('malipo_database_replica_lag_seconds', 'replica')]],
    ],
  },
};
