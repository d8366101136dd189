export interface Barrier {
  opened: Promise<void>;
  open(): void;
}

/** Lets two sessions wait for each other at a chosen point. */
export function barrier(): Barrier {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
