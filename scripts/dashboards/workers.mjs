/** The dashboard of workers and Temporal: throughput and waiting times. */
import { ours, rate, quantile, shown, ofInstance } from './asking.mjs';

export const workers = {
  uid: 'malipo-workers',
  title: 'Malipo: workers and Temporal',
  rows: {
    Backlog: [
      ['Most overdue status check', 's', ['', shown('malipo_payment_check_overdue_seconds')]],
      ['Oldest unread notification', 's', ['', shown('malipo_inbox_oldest_age_seconds')]],
      ['Pollers, as Temporal reports', 'none', ['{{kind}}', shown('malipo_task_queue_pollers', 'kind')]],
      ['Tasks in the queue', 'none', ['{{kind}}', shown('malipo_task_queue_backlog', 'kind')]],
      ['Oldest task in the queue', 's', ['{{kind}}', shown('malipo_task_queue_backlog_age_seconds', 'kind')]],
    ],
    Latency: [
      [
        'Delay of workflow tasks',
        's',
        ['p50', quantile(0.5, 'temporal_workflow_task_schedule_to_start_latency', [])],
        ['p99', quantile(0.99, 'temporal_workflow_task_schedule_to_start_latency', [])],
      ],
      [
        'Duration of workflow tasks, p99',
        's',
        ['p99', quantile(0.99, 'temporal_workflow_task_execution_latency', [])],
      ],
      [
        'Delay of activities, p99',
        's',
        ['p99', quantile(0.99, 'temporal_activity_schedule_to_start_latency', [])],
      ],
      [
        'Duration of local activities, p99',
        's',
        ['p99', quantile(0.99, 'temporal_local_activity_execution_latency', [])],
      ],
      [
        'Duration of calls to Temporal, p99',
        's',
        ['{{operation}}', quantile(0.99, 'temporal_request_latency', ['operation'])],
      ],
      ['Calls to Temporal', 'reqps', ['{{operation}}', rate('temporal_request_total', 'operation')]],
    ],
    Workers: [
      [
        'Free slots',
        'none',
        [
          '{{instance}} {{worker_type}}',
          `min by (instance, worker_type) (${ours('temporal_worker_task_slots_available')})`,
        ],
      ],
      [
        'Workflows in the cache',
        'none',
        [ofInstance, `sum by (instance) (${ours('temporal_sticky_cache_size')})`],
      ],
      [
        'Workflows completed',
        'cps',
        ['{{workflow_type}}', rate('temporal_workflow_completed_total', 'workflow_type')],
      ],
      ['Ready', 'bool', [ofInstance, `min by (instance) (${ours('malipo_ready', 'check="worker"')})`]],
    ],
  },
};
