const allButDate = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

/** Works while this process believes that it is another time. Timers, and the database, keep the real one. */
export async function atTime<T>(now: Date, work: () => Promise<T>): Promise<T> {
  jest.useFakeTimers({ doNotFake: allButDate, now });
  try {
    return await work();
  } finally {
    jest.useRealTimers();
  }
}
