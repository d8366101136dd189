/** What stands in the rows of what `malipo prune` does; see worker/prune. */
/** A body that is taken away once it is old and nothing of its payment is open. */
export interface PrunableBody {
  /** Empty once it is pruned. */
  body: string;
  /** Since when its age counts: it is written, or what kept it is looked at again later. NULL once it is pruned. */
  body_since: Date | null;
  body_pruned_at: Date | null;
  /** Of the body that was pruned. */
  body_sha256: Buffer | null;
}

/** When `malipo prune` runs by itself, and who is at it: one row. */
export interface PruningRow {
  id: number;
  due_at: Date;
  leased_by: string | null;
  leased_until: Date | null;
  finished_at: Date | null;
}
