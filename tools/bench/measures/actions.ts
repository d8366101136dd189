/**
 * What Temporal Cloud would count as actions in a history, by its published definition:
 * https://docs.temporal.io/evaluate/cloud/actions, read on 2026-11-23.
 */
import type { WorkflowHandle } from '@temporalio/client';

export type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** Which version of a workflow's code it began with: said to be free. */
const freeAttribute = 'TemporalChangeVersion';

export interface ActionCounts {
  starts: number;
  updates: number;
  signals: number;
  /** Each attempt is one. */
  activities: number;
  /** All that a workflow task records are one, local activities and others alike. */
  markers: number;
  timers: number;
  search_attributes: number;
}

/**
 * Queries, updates that were refused and heartbeats leave no event, and are not in it; nor is what payments of ours never
 * do, which is children, schedules, Nexus and resets.
 */
export function actionsOf(events: readonly HistoryEvent[]): ActionCounts {
  const count = (is: (event: HistoryEvent) => unknown) => events.filter((event) => Boolean(is(event))).length;
  const retries = events.reduce(
    (total, { activityTaskStartedEventAttributes: started }) =>
      total + Math.max(0, (started?.attempt ?? 1) - 1),
    0,
  );
  // Markers follow the end of the workflow task that recorded them, and name it.
  const markedBy = events.map(({ markerRecordedEventAttributes: marker }) =>
    marker ? String(marker.workflowTaskCompletedEventId) : '',
  );
  return {
    starts: count((event) => event.workflowExecutionStartedEventAttributes),
    updates: count((event) => event.workflowExecutionUpdateAcceptedEventAttributes),
    signals: count((event) => event.workflowExecutionSignaledEventAttributes),
    activities: count((event) => event.activityTaskScheduledEventAttributes) + retries,
    markers: new Set(markedBy.filter((id) => id !== '')).size,
    timers: count((event) => event.timerStartedEventAttributes),
    search_attributes: count(({ upsertWorkflowSearchAttributesEventAttributes: upsert }) =>
      Object.keys(upsert?.searchAttributes?.indexedFields ?? {}).some((name) => name !== freeAttribute),
    ),
  };
}
