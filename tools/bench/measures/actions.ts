/**
 * The number of actions in a history by Temporal Cloud's published definition:
 * https://docs.temporal.io/evaluate/cloud/actions, read on 2026-11-23.
 */
import type { WorkflowHandle } from '@temporalio/client';

export type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** The recorded version of a workflow's code, which is free by the definition. */
const freeAttribute = 'TemporalChangeVersion';

export interface ActionCounts {
  starts: number;
  updates: number;
  signals: number;
  /** Each attempt is one action. */
  activities: number;
  /** All markers of one workflow task are one action, local activities and others alike. */
  markers: number;
  timers: number;
  search_attributes: number;
}

/**
 * Queries, rejected updates and heartbeats leave no event, so they are missing. So are child workflows, schedules,
 * Nexus and resets, which our payments do not use.
 */
export function actionsOf(events: readonly HistoryEvent[]): ActionCounts {
  const count = (is: (event: HistoryEvent) => unknown) => events.filter((event) => Boolean(is(event))).length;
  const retries = events.reduce(
    (total, { activityTaskStartedEventAttributes: started }) =>
      total + Math.max(0, (started?.attempt ?? 1) - 1),
    0,
  );
  // Markers follow the completed workflow task that recorded them, and name it.
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
