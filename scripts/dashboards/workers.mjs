/** Whether work is done, and how long it waits. */
import { rate, quantile, shown, ofInstance } from './asking.mjs';

export const workers = {
  uid: 'malipo-workers',
  title: 'Malipo: workers and Temporal',
  rows: {
    'Is work done': [
      ['Oldest payment that is due', 's', ['', shown('work_overdue_seconds')]],
      ['Oldest unread notification', 's', ['', shown('inbox_oldest_age_seconds')]],
      ['Pollers, as Temporal tells', 'none', ['{{kind}}', shown('task_queue_pollers', 'kind')]],
      ['Tasks that wait', 'none', ['{{kind}}', shown('task_queue_backlog', 'kind')]],
      ['Oldest task that waits', 's', ['{{kind}}', shown('task_queue_backlog_age_seconds', 'kind')]],
    ],
    Latency: [
      [
        'Workflow tasks wait for a worker',
        's',
        ['p50', quantile(0.5, 'temporal_workflow_task_schedule_to_start_latency', [])],
        ['p99', quantile(0.99, 'temporal_workflow_task_schedule_to_start_latency', [])],
      ],
      [
        'Workflow tasks take, p99',
        's',
        ['p99', quantile(0.99, 'temporal_workflow_task_execution_latency', [])],
      ],
      [
        'Activities wait for a worker, p99',
        's',
        ['p99', quantile(0.99, 'temporal_activity_schedule_to_start_latency', [])],
      ],
      [
        'Activities within workflow tasks take, p99',
        's',
        ['p99', quantile(0.99, 'temporal_local_activity_execution_latency', [])],
      ],
      [
        'Temporal answers, p99',
        's',
        ['{{operation}}', quantile(0.99, 'temporal_request_latency', ['operation'])],
      ],
      ['Calls to Temporal', 'reqps', ['{{operation}}', rate('temporal_request_total', 'operation')]],
    ],
    Workers: [
      [
        'Slots free',
        'none',
        [
          '{{instance}} {{worker_type}}',
          'min by (instance, worker_type) (temporal_worker_task_slots_available)',
        ],
      ],
      ['Workflows in the cache', 'none', [ofInstance, 'sum by (instance) (temporal_sticky_cache_size)']],
      [
        'Workflows completed',
        'cps',
        ['{{workflow_type}}', rate('temporal_workflow_completed_total', 'workflow_type')],
      ],
      ['Ready', 'bool', [ofInstance, 'min by (instance) (ready{check="worker"})']],
    ],
  },
};
