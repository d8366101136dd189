/** A promise that only some rails can be held to. */
export function itWhere(applies: boolean): (title: string, promise: jest.ProvidesCallback) => void {
  return (title, promise) => {
    if (applies) it(title, promise);
  };
}
