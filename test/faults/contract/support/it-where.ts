/** An invariant that applies only to some rails. */
export function itWhere(applies: boolean): (title: string, promise: jest.ProvidesCallback) => void {
  return (title, promise) => {
    if (applies) it(title, promise);
  };
}
