/** What the processes and their database are doing. */
import { rate, quantile, shown, ofInstance } from './asking.mjs';

const ofPortal = '{job=~"(.*/)?malipo-portal"}';

export const processes = {
  uid: 'malipo-processes',
  title: 'Malipo: processes and the database',
  rows: {
    Processes: [
      ['Scraped', 'bool', ['{{job}} {{instance}}', 'max by (job, instance) (up{job=~"(.*/)?malipo-.*"})']],
      ['Ready', 'bool', ['{{instance}} {{check}}', 'min by (instance, check) (ready)']],
      ['CPU (cores)', 'none', [ofInstance, rate('process_cpu_seconds_total', 'instance')]],
      ['Memory', 'bytes', [ofInstance, 'sum by (instance) (process_resident_memory_bytes)']],
      ['Event loop late, p99', 's', [ofInstance, 'max by (instance) (nodejs_eventloop_lag_p99_seconds)']],
      ['Started ago', 's', [ofInstance, 'time() - max by (instance) (process_start_time_seconds)']],
    ],
    Requests: [
      ['By route', 'reqps', ['{{route}}', rate('http_requests_total', 'route')]],
      ['By status', 'reqps', ['{{status}}', rate('http_requests_total', 'status')]],
      [
        'How long they take, p99',
        's',
        ['{{route}}', quantile(0.99, 'http_request_duration_seconds', ['route'])],
      ],
    ],
    Portal: [
      ['Pages by status', 'reqps', ['{{status}}', rate('http_requests_total', 'status', ofPortal)]],
      [
        'How long pages take, p99',
        's',
        ['{{route}}', quantile(0.99, 'http_request_duration_seconds', ['route'], ofPortal)],
      ],
    ],
    Database: [
      [
        'Connections in use',
        'none',
        ['{{instance}} {{pool}}', 'sum by (instance, pool) (database_pool_connections{state="used"})'],
      ],
      [
        'Callers that wait for one',
        'none',
        ['{{instance}} {{pool}}', 'sum by (instance, pool) (database_pool_waiting)'],
      ],
      [
        'Callers that got none',
        'cps',
        ['{{instance}} {{pool}}', rate('database_pool_timeouts_total', 'instance, pool')],
      ],
      ['Figures read ago', 's', [ofInstance, 'time() - max by (instance) (figures_read_timestamp_seconds)']],
      ['Clock ahead of ours', 's', [ofInstance, 'max by (instance) (database_clock_ahead_seconds)']],
      ['Copies behind', 's', ['{{replica}}', shown('database_replica_lag_seconds', 'replica')]],
    ],
  },
};
